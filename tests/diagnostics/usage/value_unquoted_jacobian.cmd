jacobian 'x**2' --at x=[1, 2]
