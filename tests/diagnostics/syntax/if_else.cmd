eval 'x if x > 0 else 0' --at x=1
