package main

import (
	"encoding/binary"
	"errors"
)

// Frames from the agent.
const (
	toRun    = 1
	toSignal = 2
	toCredit = 3
	toEnd    = 4
	toDebug  = 5
	toInput  = 6
	toResize = 7
)

// Frames to the agent.
const (
	saysStarted  = 1
	saysStdout   = 2
	saysStderr   = 3
	saysOutput   = 4
	saysExit     = 5
	saysConsumed = 6
)

const (
	flagMakeExecutable = 1 << 0
	flagOwnDirectory   = 1 << 1
	flagScript         = 1 << 2
	flagOutput         = 1 << 3
	flagSpareOthers    = 1 << 4
	flagSpareOwn       = 1 << 5
	flagInput          = 1 << 6
	flagFresh          = 1 << 7
)

const (
	exitKindCode        = 0
	exitKindSignal      = 1
	exitKindNotStarted  = 2
	exitNoteOutOfMemory = 1 << 0
	exitNoteTerminated  = 1 << 1
	exitNoteLeftovers   = 1 << 2
	// Of a shell: the command beside which the shell ran ended first.
	exitNoteCommandEnded = 1 << 3
)

type command struct {
	id uint32
	// The last argument is a file of the step. The shim makes it executable.
	makeExecutable bool
	// The command runs in a new directory, which is removed after the command has ended.
	ownDirectory bool
	hasScript    bool
	// The command gets a file, $SVC_OUTPUT, whose content the shim sends to the agent.
	wantsOutput bool
	// After the command has ended, processes of the container that it did not start continue.
	sparesOthers bool
	// After the command has ended, processes that it started continue.
	sparesOwn bool
	cwd       string
	script    string
	argv      []string
	env       []string
	// Paths that must exist before the command starts.
	inputs []string
	// Paths that must exist after the command succeeded.
	outputs []string
	// True: the standard input of the command is `input`. Otherwise it is empty.
	hasInput bool
	input    string
	// True: the shim first removes what earlier commands left in directories for temporary files.
	fresh bool
	// A directory that the shim deletes and creates before the command starts. Empty: none.
	folder string
}

var errShort = errors.New("a command that ends too early")

// Reads the numbers, texts and lists of a frame's payload, and remembers the first error.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) number() int {
	if len(r.rest) < 4 {
		r.err = errShort
		return 0
	}
	n := binary.BigEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return int(n)
}

func (r *reader) text() string {
	n := r.number()
	if r.err != nil || n > len(r.rest) {
		r.err = errShort
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *reader) list() []string {
	n := r.number()
	if n > len(r.rest) {
		r.err = errShort
		return nil
	}
	texts := make([]string, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		texts = append(texts, r.text())
	}
	return texts
}

func decodeCommand(id uint32, payload []byte) (command, error) {
	r := reader{rest: payload}
	flags := r.number()
	c := command{
		id:             id,
		makeExecutable: flags&flagMakeExecutable != 0,
		ownDirectory:   flags&flagOwnDirectory != 0,
		hasScript:      flags&flagScript != 0,
		wantsOutput:    flags&flagOutput != 0,
		sparesOthers:   flags&flagSpareOthers != 0,
		sparesOwn:      flags&flagSpareOwn != 0,
		hasInput:       flags&flagInput != 0,
		fresh:          flags&flagFresh != 0,
		cwd:            r.text(),
		script:         r.text(),
		argv:           r.list(),
		env:            r.list(),
	}
	if len(r.rest) > 0 {
		c.inputs = r.list()
		c.outputs = r.list()
	}
	if len(r.rest) > 0 {
		c.input = r.text()
		c.folder = r.text()
	}
	if r.err == nil && len(c.argv) == 0 && !c.hasScript {
		r.err = errors.New("a command without words")
	}
	return c, r.err
}

func decodeHex(s string) []byte {
	if len(s)%2 != 0 {
		return nil
	}
	out := make([]byte, len(s)/2)
	for i := 0; i < len(s); i++ {
		var v byte
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			v = c - '0'
		case c >= 'a' && c <= 'f':
			v = c - 'a' + 10
		default:
			return nil
		}
		out[i/2] = out[i/2]<<4 | v
	}
	return out
}
