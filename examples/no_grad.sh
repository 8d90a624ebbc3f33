#!/bin/sh
# detach(x) counts as a constant: the gradient of x*detach(x) at 3 is 3, that of x*x is 6.
set -eu
gradcli diff 'x*detach(x)' --at x=3 --plain
gradcli diff 'x*x' --at x=3 --plain
