eval 'log(x, 10)' --at x=2
