diff x**2 -n --at x=1
