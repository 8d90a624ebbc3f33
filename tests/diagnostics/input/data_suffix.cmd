diff x --data data.csv
