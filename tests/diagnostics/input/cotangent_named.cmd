vjp 'x**2' --at 'x=[1, 2]' --cotangent 'x=[1, 2]'
