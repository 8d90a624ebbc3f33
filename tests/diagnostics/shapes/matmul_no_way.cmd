eval 'x@w' --at 'x=ones(3, 4)' --at 'w=ones(5, 6)'
