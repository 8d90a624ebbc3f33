eval '1,5*x' --at x=1
