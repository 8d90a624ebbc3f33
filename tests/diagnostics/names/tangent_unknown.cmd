jvp 'x**2' --at x=1 --tangent y=1
