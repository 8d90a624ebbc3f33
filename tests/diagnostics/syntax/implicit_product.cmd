eval '2x + 1' --at x=1
