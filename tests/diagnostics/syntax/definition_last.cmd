eval 'f(a) = a**2'
