eval '1.2.3'
