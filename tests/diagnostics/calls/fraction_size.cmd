eval 'zeros(2.5)'
