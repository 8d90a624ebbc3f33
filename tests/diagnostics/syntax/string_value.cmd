eval '"a" + 1'
