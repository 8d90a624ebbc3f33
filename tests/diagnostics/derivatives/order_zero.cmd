diff 'x' --at x=1 --order 0
