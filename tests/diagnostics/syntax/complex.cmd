eval '1 + 2j'
