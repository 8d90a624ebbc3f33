diff x --at x=1 --verbose
