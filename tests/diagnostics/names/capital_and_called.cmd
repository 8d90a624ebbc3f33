eval 'AND(x > 1, x < 2)' --at x=1
