eval 'cholesky(x)' --at 'x=[[1, 2], [3, 4]]'
