diff 'sum(x)' --at x=@data.csv
