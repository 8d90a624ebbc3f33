eval 'PI*x + E' --at x=2
