eval 'sum(log(x))' --at 'x=[1, 0, -1]' --strict
