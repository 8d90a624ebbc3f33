eval 'where(x = 1, 2, 3)' --at x=1
