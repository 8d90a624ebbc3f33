diff x --x=1
