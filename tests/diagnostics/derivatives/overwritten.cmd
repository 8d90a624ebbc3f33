diff 'y = exp(x); z = y**2; y[0] = 0; sum(z*y)' --at 'x=[1, 2]'
