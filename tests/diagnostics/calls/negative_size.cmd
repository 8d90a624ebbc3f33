eval 'zeros(-1)'
