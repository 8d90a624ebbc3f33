diff x --at x=1 --order two
