eval '(1, 2) + x' --at x=1
