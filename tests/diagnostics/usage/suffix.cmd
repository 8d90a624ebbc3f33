diff x --at x=1 -o out.txt
