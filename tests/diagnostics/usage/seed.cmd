diff x --at x=1 --seed -3
