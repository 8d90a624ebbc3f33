diff x --at x=1 --at x=2
