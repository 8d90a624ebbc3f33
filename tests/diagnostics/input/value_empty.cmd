diff x --at x=
