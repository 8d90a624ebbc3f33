graph '1 + 2'
