diff x -f model.txt
