diff 'sum(x)' --at x=@semicolon.csv
