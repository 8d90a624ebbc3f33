eval 'x.shape' --at 'x=[1, 2]'
