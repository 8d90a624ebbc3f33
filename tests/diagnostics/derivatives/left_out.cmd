diff 'norm(x, p)' --at 'x=[3, 4]' --at p=2 --plain
