diff 'where(x, 1, 2)' --at x=true
