diff 'sum(qr(A)[0])' --at 'A=[[1,1],[1,1]]'
