eval 'xᵀ' --at 'x=[[1, 2]]'
