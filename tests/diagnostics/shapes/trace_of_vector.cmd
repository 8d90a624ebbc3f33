eval 'trace(x)' --at 'x=[1, 2]'
