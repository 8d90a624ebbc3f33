#!/bin/sh
# The slope of (x+2)**2 + 3 at x = 2.
set -eu
gradcli diff '(x+2)**2 + 3' --at x=2 --format table
