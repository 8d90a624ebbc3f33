diff 'x**2' --at x=2 --wrt ''
