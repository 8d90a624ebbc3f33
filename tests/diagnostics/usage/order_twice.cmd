diff x --at x=1 --order 2 --order 3
