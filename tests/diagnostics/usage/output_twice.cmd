diff x --at x=1 -o a.json --output b.json
