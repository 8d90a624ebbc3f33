dif 'x**2' --at x=2
