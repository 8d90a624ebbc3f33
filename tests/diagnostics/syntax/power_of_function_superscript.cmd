eval 'sin²(x)' --at x=2
