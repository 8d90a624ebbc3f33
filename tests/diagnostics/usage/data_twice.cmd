diff x --data points.json --data data.json
