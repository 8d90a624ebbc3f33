#!/bin/sh
# mean(y - x@w) of random matrices: each element of y has the gradient 1/50.
set -eu
at="--at x=randn(10,20) --at w=randn(20,5) --at y=randn(10,5) --seed 0"
gradcli graph 'mean(y - x@w)' $at --format tree --digits 3
gradcli diff 'mean(y - x@w)' $at --json | jq -c '.gradient.y[0]'
