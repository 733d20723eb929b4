module millrace.dev/shim

go 1.24
