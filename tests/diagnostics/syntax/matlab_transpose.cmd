eval "A'" --at 'A=[[1, 2]]'
