# Labels are quoted or bare.
job "a b" "ü" c {
}
