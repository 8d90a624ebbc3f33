diff 'u = exp(x)
v = u*u
u += 1
sum(v)' --at 'x=[1, 2]'
