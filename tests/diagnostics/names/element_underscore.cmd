eval 'x + x_1' --at 'x=[1, 2]'
