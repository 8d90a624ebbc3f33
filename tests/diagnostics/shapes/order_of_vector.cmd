diff 'sum(x**2)' --at 'x=[1, 2]' --order 2
