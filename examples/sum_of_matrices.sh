#!/bin/sh
# The gradient of sum(x + y) is 1 for every element, whatever the random matrices are.
set -eu
gradcli diff 'sum(x + y)' --at 'x=rand(5, 5)' --at 'y=rand(5, 5)' --json | jq -c '.gradient.x, .gradient.y'
