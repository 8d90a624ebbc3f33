diff x a.csv b.txt 2 --at x=1
