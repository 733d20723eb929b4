package main

import (
	"os"
	"syscall"
)

// The standard input of a command: a text or nothing. The text is never in a file, an argument or a variable.
type input struct {
	reader *os.File
	writer *os.File
	text   string
}

func openInput(c command) (input, error) {
	if !c.hasInput {
		nothing, err := os.Open("/dev/null")
		return input{reader: nothing}, err
	}
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return input{}, err
	}
	syscall.SetNonblock(ends[1], true)
	return input{os.NewFile(uintptr(ends[0]), "input"), os.NewFile(uintptr(ends[1]), "input"), c.input}, nil
}

// Writes the text to the command and closes the input. The write fails if the command ends or closes its
// standard input before it has read everything. That is not a problem.
func (i input) write() {
	if i.writer == nil {
		return
	}
	i.writer.WriteString(i.text)
	i.writer.Close()
}

func (i input) close() {
	if i.writer != nil {
		i.writer.Close()
	}
}
