eval 'IF(x > 0, 1, 2)' --at x=2
