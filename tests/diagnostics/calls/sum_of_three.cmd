eval 'sum(a, b, c)' --at a=1 --at b=2 --at c=5
