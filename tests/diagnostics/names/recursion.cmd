eval 'f(a) = f(a - 1); f(x)' --at x=1
