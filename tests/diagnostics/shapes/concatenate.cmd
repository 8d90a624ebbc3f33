eval 'concatenate([x, A])' --at 'x=[1, 2]' --at 'A=[[1, 2]]'
