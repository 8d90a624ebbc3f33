eval 'sum(x, axis=0, axis=1)' --at 'x=[1]'
