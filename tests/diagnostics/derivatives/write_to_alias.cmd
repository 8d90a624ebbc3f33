eval 'z = x; z[0] = 2; z' --at 'x=[1, 2]'
