# A block on one line holds one attribute.
a { b = 1 }
c {}
