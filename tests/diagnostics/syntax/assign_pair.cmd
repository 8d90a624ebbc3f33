eval 'a, b = x' --at x=1
