diff 'x**2' --at 'x=[1, 2]' --grad-output '[1,'
