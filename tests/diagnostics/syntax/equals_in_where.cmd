eval 'sum(x = 1)' --at 'x=[1, 2]'
