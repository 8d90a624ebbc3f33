eval 'sum(axis=0, x)' --at 'x=[1]'
