eval '# only a comment'
