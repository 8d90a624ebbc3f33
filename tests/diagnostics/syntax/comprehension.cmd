eval '[a**2 for a in x]' --at 'x=[1, 2]'
