diff x --at x=@model.txt.bak
