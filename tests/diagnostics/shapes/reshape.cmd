eval 'reshape(x, 2, 2)' --at 'x=[1, 2, 3]'
