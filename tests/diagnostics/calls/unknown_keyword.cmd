eval 'sum(x, axes=0)' --at 'x=[1]'
