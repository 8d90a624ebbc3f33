help quotes
