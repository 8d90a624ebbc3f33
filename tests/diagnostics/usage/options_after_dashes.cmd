diff -- -x --at x=2
