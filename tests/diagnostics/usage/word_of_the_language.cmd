diff 'x**2' --at True=3
