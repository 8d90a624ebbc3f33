diff x --at 'x="a"'
