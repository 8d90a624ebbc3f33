diff 'x += 1; x' --at x=1
