eval 'norm(x, “nuc”)' --at 'x=[[1]]'
