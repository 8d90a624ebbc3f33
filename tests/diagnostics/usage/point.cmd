diff x --point x=1
