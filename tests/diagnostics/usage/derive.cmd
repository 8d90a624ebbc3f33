derive x
