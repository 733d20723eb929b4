# Every kind of literal.
text     = "a \"b\" \t \u00e9 \\"
whole    = 42
fraction = 1.50
exact    = 123456789012345678901234567890.000000000000000000001
huge     = 1e100
negative = -7
yes      = true
nothing  = null
list     = [1, "a", [true, null],]
map      = { a = 1, "b c" = 2, (true ? "d" : "e") : 3 }
