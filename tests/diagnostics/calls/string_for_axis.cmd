eval 'sum(x, axis="rows")' --at 'x=[1, 2]'
