eval 'mse_loss(p, y)' --at 'p=[[1], [2], [3]]' --at 'y=[1, 2, 3]' --json
