diff x --at x=y=2
