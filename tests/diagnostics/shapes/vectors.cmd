eval 'x + y' --at 'x=[1, 2, 3]' --at 'y=[1, 2]'
