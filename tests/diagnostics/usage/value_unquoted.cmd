diff 'sum(x)' --at x=[1, 2]
