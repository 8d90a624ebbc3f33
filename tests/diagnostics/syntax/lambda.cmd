eval 'f = lambda a: a**2' --at x=1
