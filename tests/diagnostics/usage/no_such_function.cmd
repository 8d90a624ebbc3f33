functions nosuch
