diff -f hidden.txt --at u=2 --at x=1
