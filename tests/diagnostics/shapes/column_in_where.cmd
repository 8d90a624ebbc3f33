eval 'where(y > 1, y, p)' --at 'p=[[1], [2], [3]]' --at 'y=[1, 2, 3]' --json
