eval 'y = x**2 y*y' --at x=2
