eval 'f(a) = a**2; f*2'
