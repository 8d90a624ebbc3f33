eval 'sin(90°)'
