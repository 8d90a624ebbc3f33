diff x --at x=@-
