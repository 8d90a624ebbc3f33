eval '\sin(x)' --at x=1
