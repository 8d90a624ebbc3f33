diff 'x**2' --at X=1
