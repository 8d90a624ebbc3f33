eval 'transpose(x, 1, 0)' --at 'x=[[1, 2]]'
