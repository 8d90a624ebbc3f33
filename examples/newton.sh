#!/bin/sh
# Newton's method in one variable: x becomes x - f(x)/f'(x), here for the square root of 2.
set -eu
f='x**2 - 2'
x=1
for step in 1 2 3; do
    slope=$(gradcli diff "$f" --at "x=$x" --plain | cut -d ' ' -f 2)
    x=$(gradcli eval "x - ($f)/slope" --at "x=$x" --at "slope=$slope" --plain)
    echo "$step $x"
done
