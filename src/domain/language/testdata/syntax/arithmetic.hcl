# Operators by precedence, exactly.
sum     = 1 + 2 * 3
third   = 0.1 + 0.2
compare = 2 >= 2 && !(1 == 2) || false
choice  = 1 > 2 ? "yes" : "no"
modulo  = 17 % 5
