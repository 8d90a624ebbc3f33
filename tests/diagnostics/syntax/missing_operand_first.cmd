eval '* 2'
