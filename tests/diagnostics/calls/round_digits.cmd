eval 'round(x, 2)' --at x=2
