eval 'where(x > 0; 1; 2)' --at x=1
