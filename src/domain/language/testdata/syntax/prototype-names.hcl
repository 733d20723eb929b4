# Names that mean something to JavaScript mean nothing here.
__proto__   = { __proto__ = 1, constructor = 2 }
constructor = 3
hasOwnProperty "__proto__" {
}
