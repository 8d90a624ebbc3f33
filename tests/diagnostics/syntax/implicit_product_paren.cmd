eval '2(x + 1)' --at x=1
