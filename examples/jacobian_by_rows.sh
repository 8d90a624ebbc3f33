#!/bin/sh
# Row by row with one-hot weights, and then the whole at once.
set -eu
f='[x[0]**2 + 3*x[1], 2*x[0] + x[1]**2]'
gradcli diff "$f" --at 'x=[2, 3]' --grad-output '[1, 0]' --plain
gradcli diff "$f" --at 'x=[2, 3]' --grad-output '[0, 1]' --plain
gradcli jacobian "$f" --at 'x=[2, 3]' --json | jq -c .jacobian.x
