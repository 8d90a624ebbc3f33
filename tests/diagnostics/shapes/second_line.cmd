eval 'u = x + 1
v = u*y
sum(v)' --at 'x=[1, 2, 3]' --at 'y=[1, 2]'
