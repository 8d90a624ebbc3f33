diff x --at 'x=y=2; y**2'
