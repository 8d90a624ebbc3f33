diff 'norm(x, p)' --at 'x=[1, 2]' --at p=3
