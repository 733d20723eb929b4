# Single quotes are not quotes.
a = 'x'
