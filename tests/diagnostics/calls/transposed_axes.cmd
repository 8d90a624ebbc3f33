eval 'transpose([[1, 2], [3, 4]], (3, 2))'
