diff x --data missing.json
