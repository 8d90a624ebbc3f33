eval 'A^T' --at 'A=[[1, 2]]'
