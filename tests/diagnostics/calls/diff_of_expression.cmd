eval 'diff(x**2, x)' --at x=3
