#!/bin/sh
# Elements written one by one, and the Jacobian of what they make up.
set -eu
program='
n = zeros(1, 2)
n[0, 0] = m[0, 0]**2
n[0, 1] = m[0, 1]**3
n'
printf '%s' "$program" | gradcli eval - --at 'm=[[2, 3]]' --plain
printf '%s' "$program" | gradcli jacobian - --at 'm=[[2, 3]]' --plain
