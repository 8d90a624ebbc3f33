eval 'det(x)' --at 'x=ones(2, 3)'
