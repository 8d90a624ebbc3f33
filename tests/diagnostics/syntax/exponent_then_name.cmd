eval '1e-3x' --at x=2
