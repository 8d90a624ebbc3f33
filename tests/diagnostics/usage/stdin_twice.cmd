diff - --at x=@-
