eval 'sin^2(x)' --at x=2
