diff 'sum(x)' --at x=@short.csv
