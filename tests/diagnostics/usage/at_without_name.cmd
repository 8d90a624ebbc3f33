diff x --at 2
