diff 'x*y' --at x=1 --at y=2 --wrt 'x y'
