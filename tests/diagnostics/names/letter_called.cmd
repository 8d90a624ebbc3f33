eval 'x(3)' --at x=2
