package main

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"syscall"
)

// A command of the agent, or a shell of a person.
type process struct {
	id uint32
	// 0: the process has not started.
	pid int
	// The agent has sent a signal to the process. If the process has not started yet, it will not start.
	unwanted bool
	ended    chan syscall.WaitStatus
	window   *window
	// Nil: the process is a command.
	shell *shell
}

type exit struct {
	kind    byte
	code    uint32
	notes   byte
	message string
}

func (k *keeper) sendExit(id uint32, e exit) {
	payload := append([]byte{e.kind, e.notes}, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(payload[2:], e.code)
	k.link.send(saysExit, id, append(payload, e.message...))
}

func (k *keeper) sendStarted(p *process) {
	k.link.send(saysStarted, p.id, binary.BigEndian.AppendUint32(nil, uint32(p.pid)))
}

func (k *keeper) run(c command, p *process) {
	defer k.forget(c.id)
	k.sendExit(c.id, k.runToEnd(c, p))
}

// Runs the command, removes its private files, and returns its end. The next command of the container starts
// after the report of the end, so it cannot read those files, unless their removal takes longer than
// removalLimit.
func (k *keeper) runToEnd(c command, p *process) exit {
	if c.fresh {
		k.files.alone.Lock()
		if err := k.files.clear(); err != nil {
			k.files.alone.Unlock()
			return notStarted("cannot remove the temporary files of an earlier command", err)
		}
	}
	// Empty after an error; then there is nothing to remove.
	privateDirectory, err := os.MkdirTemp(temporaryRoot(k.temporary, c.cwd), "millrace-")
	defer waitFor(func() {
		if privateDirectory != "" {
			removeAll(privateDirectory)
		}
		// The next fresh command waits until the removal has ended, even if the report does not.
		if c.fresh {
			k.files.clear()
			k.files.alone.Unlock()
		}
	})
	if err != nil {
		return notStarted("cannot make a temporary directory", err)
	}
	job, problem := k.prepare(c, privateDirectory)
	if problem != nil {
		return *problem
	}
	if problem := explainMissing("input", job.cwd, c.inputs); problem != "" {
		return exit{kind: exitKindNotStarted, code: 1, message: problem}
	}
	killsBefore := outOfMemoryKills()
	input, err := openInput(c)
	if err != nil {
		return notStarted("cannot open its standard input", err)
	}
	streams, err := k.launch(job, input.reader, p)
	input.reader.Close()
	if err != nil {
		input.close()
		return explainStart(job.program, err)
	}
	go input.write()
	k.sendStarted(p)
	drained := make(chan struct{}, 2)
	go k.pump(saysStdout, p, streams[0], drained)
	go k.pump(saysStderr, p, streams[1], drained)

	status := <-p.ended
	alone, gone := k.clean(p, c)
	input.close()
	waitDrained(streams, drained, alone && gone)
	e := exitOf(status)
	if killsBefore >= 0 && outOfMemoryKills() > killsBefore {
		e.notes |= exitNoteOutOfMemory
	}
	k.catchUp()
	if k.terminated.Load() {
		e.notes |= exitNoteTerminated
	}
	if !gone {
		e.notes |= exitNoteLeftovers
	}
	if e.kind == exitKindCode && e.code == 0 {
		if problem := explainMissing("output", job.cwd, c.outputs); problem != "" {
			e = exit{kind: exitKindNotStarted, code: 1, notes: e.notes, message: problem}
		}
	}
	if c.wantsOutput {
		if problem := k.sendOutput(c.id, privateDirectory+"/output"); problem != "" && e.kind == exitKindCode && e.code == 0 {
			e = exit{kind: exitKindNotStarted, code: 1, notes: e.notes, message: problem}
		}
	}
	return e
}

// Says which paths do not exist. A link to a path that does not exist counts as missing.
func explainMissing(what, cwd string, paths []string) string {
	var missing []string
	for _, path := range paths {
		if _, err := os.Stat(cwd + "/" + path); err != nil {
			missing = append(missing, path)
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return "its " + what + " " + missing[0] + " does not exist"
	default:
		return "its " + what + "s " + strings.Join(missing, ", ") + " do not exist"
	}
}

func exitOf(status syscall.WaitStatus) exit {
	if status.Signaled() {
		return exit{kind: exitKindSignal, code: uint32(status.Signal())}
	}
	return exit{kind: exitKindCode, code: uint32(status.ExitStatus())}
}

type job struct {
	program string
	argv    []string
	env     []string
	cwd     string
}

// Creates the files of the command: its script and its output file in a private directory (mode 0700), and
// the directories that it needs. Returns how to start the command, or how it ends because it cannot start.
func (k *keeper) prepare(c command, privateDirectory string) (job, *exit) {
	refuse := func(what string, err error) (job, *exit) {
		e := notStarted(what, err)
		return job{}, &e
	}
	cwd := c.cwd
	if c.ownDirectory {
		cwd = privateDirectory + "/work"
	}
	if err := os.MkdirAll(cwd, 0o777); err != nil {
		return refuse("cannot make the working directory "+cwd, err)
	}
	if c.folder != "" {
		if err := recreate(c.folder); err != nil {
			return refuse("cannot make the directory "+c.folder, err)
		}
	}
	env := stepEnvironment(k.inherited, c.env, privateDirectory)
	if c.fresh {
		temporary := privateDirectory + "/tmp"
		if err := os.Mkdir(temporary, 0o700); err != nil {
			return refuse("cannot make a directory for temporary files", err)
		}
		env.set("TMPDIR", temporary)
	}
	if c.ownDirectory {
		env.set("WORKDIR", cwd)
	}
	if c.wantsOutput {
		output := privateDirectory + "/output"
		if err := os.WriteFile(output, nil, 0o600); err != nil {
			return refuse("cannot make the file $SVC_OUTPUT", err)
		}
		env.set("SVC_OUTPUT", output)
		env.set("MILLRACE_OUTPUT", output)
	}
	argv := c.argv
	if c.hasScript {
		// Scripts of built-in types keep their private files in the directory of their script.
		script := privateDirectory + "/script"
		if err := os.WriteFile(script, []byte(c.script), 0o700); err != nil {
			return refuse("cannot write the script", err)
		}
		argv = append(argv, script)
	}
	if c.makeExecutable {
		last := len(argv) - 1
		if !strings.HasPrefix(argv[last], "/") {
			argv[last] = cwd + "/" + argv[last]
		}
		stat, err := os.Stat(argv[last])
		if err == nil && stat.Mode()&0o111 != 0o111 {
			err = os.Chmod(argv[last], stat.Mode().Perm()|0o111)
		}
		if err != nil {
			return refuse("cannot make the file executable", err)
		}
	}
	if argv[0] == "" {
		return job{}, &exit{kind: exitKindNotStarted, code: 127, message: "there is no program to run: its path is empty"}
	}
	program, err := findProgram(argv[0], env.values["PATH"], cwd)
	if err != nil {
		e := explainStart(argv[0], err)
		return job{}, &e
	}
	return job{program, argv, env.list(), cwd}, nil
}

func notStarted(what string, err error) exit {
	return exit{kind: exitKindNotStarted, code: 126, message: what + ": " + err.Error()}
}

func explainStart(program string, err error) exit {
	e := exit{kind: exitKindNotStarted, code: 126, message: program + ": " + err.Error()}
	switch {
	case errors.Is(err, syscall.ENOENT):
		e.code = 127
		e.message = program + ": no such program (or the interpreter its first line names is missing)"
	case errors.Is(err, syscall.ENOEXEC):
		e.message = program + ": neither a program nor a script with an interpreter in its first line"
	case errors.Is(err, syscall.E2BIG):
		e.message = program + ": its arguments and environment are too long for the kernel"
	case errors.Is(err, syscall.ECANCELED):
		e.message = "cancelled before it started"
	}
	return e
}

func (k *keeper) launch(j job, input *os.File, p *process) ([2]*os.File, error) {
	var streams [2]*os.File
	files := []uintptr{input.Fd()}
	for i := range streams {
		var ends [2]int
		if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
			return streams, err
		}
		defer syscall.Close(ends[1])
		syscall.SetNonblock(ends[0], true)
		streams[i] = os.NewFile(uintptr(ends[0]), "stream")
		files = append(files, uintptr(ends[1]))
	}
	err := k.start(p, j.program, j.argv, &syscall.ProcAttr{
		Dir:   j.cwd,
		Env:   j.env,
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		streams[0].Close()
		streams[1].Close()
	}
	return streams, err
}
