eval 'sum(1:10)'
