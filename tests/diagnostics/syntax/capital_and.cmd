eval 'x > 1 AND x < 2' --at x=2
