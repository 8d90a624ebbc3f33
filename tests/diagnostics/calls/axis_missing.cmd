eval 'sum(x, axis=1)' --at 'x=[1, 2]'
