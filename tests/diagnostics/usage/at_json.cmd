diff x --at '{"x": 1}'
