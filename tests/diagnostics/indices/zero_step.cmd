eval 'x[::0]' --at 'x=[1]'
