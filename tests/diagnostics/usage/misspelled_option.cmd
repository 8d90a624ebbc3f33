diff x --at x=1 --jsno
