diff 'x = 5; x**2' --at x=3
