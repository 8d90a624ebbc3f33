diff x --at x=1 --precision 3
