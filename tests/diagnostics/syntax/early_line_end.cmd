eval 'y = 1 +
2'
