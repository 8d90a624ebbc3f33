eval 'x + y = 1' --at x=1 --at y=2
