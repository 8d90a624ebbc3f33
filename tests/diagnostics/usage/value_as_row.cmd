jacobian 'x*y' --at x=1 y=2
