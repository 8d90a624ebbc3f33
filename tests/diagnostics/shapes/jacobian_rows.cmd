jacobian x y --at x=1 --at 'y=[1, 2]'
