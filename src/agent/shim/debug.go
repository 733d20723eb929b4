package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Asks for a shell for a person beside a running command. The shell is one more process of the container. The
// command ends and reports as it would without the shell, and the shell ends with the command.
type debugRequest struct {
	// The id of the command.
	beside uint32
	// The size of the terminal. 0: the shell has no terminal, and its standard streams are pipes.
	columns int
	rows    int
	cwd     string
	// The program with its arguments. Empty: the first of bash and sh that exists.
	argv []string
	env  []string
}

func decodeDebug(payload []byte) (debugRequest, error) {
	r := reader{rest: payload}
	request := debugRequest{
		beside:  uint32(r.number()),
		columns: r.number(),
		rows:    r.number(),
		cwd:     r.text(),
		argv:    r.list(),
		env:     r.list(),
	}
	return request, r.err
}

// What a shell has and a command does not.
type shell struct {
	beside *process
	// The command ended before the shell.
	commandEnded bool
	input        chan []byte
	stop         chan struct{}
	terminal     *os.File
}

// Passes input to the shell. Empty bytes end the input.
func (s *shell) receive(bytes []byte) {
	select {
	case s.input <- bytes:
	default: // The agent sends an input only after the shell has read the one before, so this never happens.
	}
}

func (k *keeper) runShell(request debugRequest, p *process) {
	defer k.forget(p.id)
	defer close(p.shell.stop)
	k.sendExit(p.id, k.runShellToEnd(request, p))
}

// Runs the shell, removes its temporary directory, and returns its end.
func (k *keeper) runShellToEnd(request debugRequest, p *process) exit {
	directory, err := os.MkdirTemp(temporaryRoot(k.temporary, request.cwd), "millrace-")
	if err != nil {
		return notStarted("cannot make a temporary directory", err)
	}
	defer waitFor(func() { removeAll(directory) })
	env := stepEnvironment(k.inherited, request.env, directory)
	argv, program, problem := findShell(request, env.values["PATH"])
	if problem != nil {
		return *problem
	}
	j := job{program, argv, env.list(), request.cwd}
	streams, input, err := k.launchShell(request, j, p)
	if err != nil {
		return explainShellStart(program, err)
	}
	// If memory runs out, the kernel ends the shell before the command.
	os.WriteFile("/proc/"+strconv.Itoa(p.pid)+"/oom_score_adj", []byte("1000"), 0)
	k.sendStarted(p)
	go k.passInput(p, input)
	drained := make(chan struct{}, len(streams))
	for _, stream := range streams {
		go k.pump(saysStdout, p, stream, drained)
	}
	status := <-p.ended
	syscall.Kill(-p.pid, syscall.SIGKILL)
	limit := time.AfterFunc(leftoversGrace, func() {
		for _, stream := range streams {
			stream.SetReadDeadline(time.Unix(1, 0))
		}
	})
	for range streams {
		<-drained
	}
	limit.Stop()
	return k.exitOfShell(p, status)
}

func (k *keeper) exitOfShell(p *process, status syscall.WaitStatus) exit {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.shell.commandEnded {
		return exitBecauseCommandEnded()
	}
	return exitOf(status)
}

func exitBecauseCommandEnded() exit {
	return exit{kind: exitKindNotStarted, notes: exitNoteCommandEnded, code: 126, message: "the step has ended"}
}

// Returns the arguments and the path of the shell's program, or how the shell ends because it has no program.
func findShell(request debugRequest, path string) ([]string, string, *exit) {
	if len(request.argv) > 0 {
		program, err := findProgram(request.argv[0], path, request.cwd)
		if err != nil {
			e := explainStart(request.argv[0], err)
			return nil, "", &e
		}
		return request.argv, program, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if program, err := findProgram(name, path, request.cwd); err == nil {
			return []string{name}, program, nil
		}
	}
	message := "the image of this step has neither bash nor sh, so give a program that it has"
	return nil, "", &exit{kind: exitKindNotStarted, code: 127, message: message}
}

func explainShellStart(program string, err error) exit {
	if errors.Is(err, syscall.ECANCELED) {
		return exitBecauseCommandEnded()
	}
	return explainStart(program, err)
}

// Starts the shell. Returns the streams from which the shim reads the output of the shell, and the stream to
// which it writes the input.
func (k *keeper) launchShell(request debugRequest, j job, p *process) ([]*os.File, *os.File, error) {
	if request.columns > 0 && request.rows > 0 {
		return k.launchOnTerminal(request, j, p)
	}
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	syscall.SetNonblock(ends[1], true)
	reader, writer := os.NewFile(uintptr(ends[0]), "input"), os.NewFile(uintptr(ends[1]), "input")
	defer reader.Close()
	streams, err := k.launch(j, reader, p)
	if err != nil {
		writer.Close()
		return nil, nil, err
	}
	return streams[:], writer, nil
}

func (k *keeper) launchOnTerminal(request debugRequest, j job, p *process) ([]*os.File, *os.File, error) {
	terminal, side, err := openTerminal()
	if err != nil {
		return nil, nil, err
	}
	defer syscall.Close(side)
	resize(terminal, request.columns, request.rows)
	k.mu.Lock()
	p.shell.terminal = terminal
	k.mu.Unlock()
	files := []uintptr{uintptr(side), uintptr(side), uintptr(side)}
	err = k.start(p, j.program, j.argv, &syscall.ProcAttr{
		Dir:   j.cwd,
		Env:   j.env,
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	})
	if err != nil {
		terminal.Close()
		return nil, nil, err
	}
	return []*os.File{terminal}, terminal, nil
}

const endOfTransmission = 4

// Writes each input to the shell, then tells the agent, so that the agent never sends more than the shell
// reads.
func (k *keeper) passInput(p *process, to *os.File) {
	isTerminal := p.shell.terminal != nil
	if !isTerminal {
		defer to.Close()
	}
	// After the end of the shell, a write that still waits for a reader fails.
	go func() {
		<-p.shell.stop
		to.SetWriteDeadline(time.Unix(1, 0))
	}()
	for {
		select {
		case <-p.shell.stop:
			return
		case bytes := <-p.shell.input:
			switch {
			case len(bytes) > 0:
				to.Write(bytes)
			case isTerminal:
				to.Write([]byte{endOfTransmission})
			default:
				to.Close()
			}
			k.link.send(saysConsumed, p.id, nil)
		}
	}
}

// Kills the shells beside a command that has ended. The caller holds the gate, so that no shell starts
// meanwhile.
func (k *keeper) endShells(command *process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for pid, p := range k.shells {
		if p.shell.beside == command {
			p.shell.commandEnded = true
			syscall.Kill(-pid, syscall.SIGKILL)
		}
	}
}

func (k *keeper) beginDebug(f frame) {
	request, err := decodeDebug(f.payload)
	if err != nil {
		k.sendExit(f.id, exit{kind: exitKindNotStarted, code: 126, message: err.Error()})
		return
	}
	p := k.admit(f.id)
	k.mu.Lock()
	p.shell = &shell{beside: k.known[request.beside], input: make(chan []byte, 1), stop: make(chan struct{})}
	k.mu.Unlock()
	go k.runShell(request, p)
}

func (k *keeper) shellOf(id uint32) *shell {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.known[id]; p != nil {
		return p.shell
	}
	return nil
}

func (k *keeper) resizeShell(id uint32, payload []byte) {
	r := reader{rest: payload}
	columns, rows := r.number(), r.number()
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.known[id]; r.err == nil && p != nil && p.shell != nil && p.shell.terminal != nil {
		resize(p.shell.terminal, columns, rows)
	}
}
