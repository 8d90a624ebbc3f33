eval 'A - B' --at 'A=ones(2, 3)' --at 'B=ones(3, 2)'
