eval 'd/dx x^2' --at x=2
