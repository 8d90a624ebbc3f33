#!/bin/sh
# A result that is no scalar needs weights: here ones, so the gradient is that of the sum of all elements.
set -eu
gradcli diff 'x**2 + y**3' --at 'x=[[1, 2], [3, 4]]' --at 'y=[[1, 1], [2, 2]]' --grad-output 'ones(2, 2)' --json
