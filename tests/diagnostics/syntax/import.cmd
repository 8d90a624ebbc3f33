eval 'import numpy as np' --at x=1
