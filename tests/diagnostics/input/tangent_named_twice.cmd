jvp 'x**2' --at x=2 --tangent x=x=1
