eval 'x@w' --at 'x=ones(20, 10)' --at 'w=ones(20, 5)'
