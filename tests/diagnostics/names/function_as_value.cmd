eval 'sin + 1'
