eval '\frac{1}{x}' --at x=1
