eval 'x[3]' --at 'x=[1, 2, 3]'
