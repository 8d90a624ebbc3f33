diff --at x=[[1, 2], [3, 4]] 'sum(x)'
