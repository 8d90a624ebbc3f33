hvp 'u = 2*d; x**3' --at x=2 --at d=1 --tangent d=1 --plain
