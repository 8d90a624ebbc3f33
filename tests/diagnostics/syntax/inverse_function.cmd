eval 'sin^-1(x)' --at x=2
