diff x --at x=@
