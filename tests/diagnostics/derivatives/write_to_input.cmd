diff 'x[0] = 1; sum(x)' --at 'x=[1, 2]'
