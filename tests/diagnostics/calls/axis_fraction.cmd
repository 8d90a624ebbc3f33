eval 'sum(x, axis=0.5)' --at 'x=[1, 2]'
