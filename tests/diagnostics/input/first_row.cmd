diff 'sum(x)' --at x=@na.csv
