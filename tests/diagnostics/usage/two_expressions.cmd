diff 'x**2' 'x**3' --at x=1
