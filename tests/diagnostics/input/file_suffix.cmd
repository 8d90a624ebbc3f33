diff x --at x=@data.dat
