eval 'y = x + 1; y(2)' --at x=1
