eval '1e*x' --at x=1
