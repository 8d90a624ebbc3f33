#!/bin/sh
# The graph that a backward pass walks, from the result down to the leaves.
set -eu
gradcli graph '(x+2)**2 + 3*y' --at x=2 --at y=1 --format tree
