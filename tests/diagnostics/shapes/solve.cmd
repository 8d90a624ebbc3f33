eval 'solve(A, b)' --at 'A=ones(2, 3)' --at 'b=[1, 2]'
