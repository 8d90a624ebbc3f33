diff x --at x=-
