eval 'norm(x, "max")' --at 'x=[1, 2]'
