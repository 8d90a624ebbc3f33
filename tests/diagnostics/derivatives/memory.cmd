eval 'zeros(100000, 100000)'
