diff x --at x=1 --max-memory lots
