eval 'x + None' --at x=1
