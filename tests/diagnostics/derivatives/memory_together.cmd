eval 'a = ones(1000); b = a + 1; c = b + 1; sum(c)' --max-memory 20K
