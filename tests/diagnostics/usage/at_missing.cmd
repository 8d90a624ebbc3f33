diff x --at
