diff 'y = x**2; y + x' --at x=1 --wrt y
