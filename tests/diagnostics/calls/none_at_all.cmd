eval 'sum()'
