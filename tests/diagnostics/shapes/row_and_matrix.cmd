eval 'A + b' --at 'A=ones(3, 4)' --at 'b=[1, 2, 3]'
