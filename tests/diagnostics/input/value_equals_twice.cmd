diff x --at x==3
