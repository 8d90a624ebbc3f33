functions sine
