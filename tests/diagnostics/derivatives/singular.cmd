diff 'sum(inv(x))' --at 'x=[[1, 2], [2, 4]]'
