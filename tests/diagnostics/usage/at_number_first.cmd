diff x --at 2x=3
