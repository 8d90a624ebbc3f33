eval '1 000 + x' --at x=2
