eval 'x > 0 && x < 2' --at x=1
