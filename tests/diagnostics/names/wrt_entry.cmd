diff 'sum(x)' --at 'x=[1, 2]' --wrt 'x[0]'
