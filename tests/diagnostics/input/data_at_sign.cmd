diff x --data @points.json
