diff x --at x=1 --format yaml
