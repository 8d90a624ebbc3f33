eval '{1, 2}'
