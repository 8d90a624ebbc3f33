eval 'log(x + 1, b)' --at x=2 --at b=3
