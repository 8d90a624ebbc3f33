eval '“x” + 1' --at x=2
