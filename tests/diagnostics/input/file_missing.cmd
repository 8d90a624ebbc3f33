diff x --at x=@missing.csv
