eval 'f(a, b) = a + b; f(x)' --at x=1
