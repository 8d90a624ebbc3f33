eval 'x + x1' --at x=1
