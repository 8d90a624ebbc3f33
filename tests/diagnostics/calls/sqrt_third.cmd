eval 'sqrt(x + 1, 3)' --at x=2
