eval 'x[end]' --at 'x=[1, 2]'
