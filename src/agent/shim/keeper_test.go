package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// No test waits longer than this, so that a test that hangs fails at the line where it hangs.
const timeout = 5 * time.Minute

// Makes this process the parent of processes that a step leaves behind, as the shim is in a container.
func TestMain(m *testing.M) {
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	os.Exit(m.Run())
}

// What the agent receives about one command.
type received struct {
	started        bool
	stdout, stderr string
	output         string
	end            exit
}

type bench struct {
	t     *testing.T
	keep  *keeper
	agent *link
	work  string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	ours, theirs := socketPair(t)
	shim := &link{socket: ours, open: sealWith(agentKey), seal: sealWith(shimKey)}
	agent := &link{socket: theirs, open: sealWith(shimKey), seal: sealWith(agentKey)}
	k := newKeeper(shim, []string{"PATH=" + defaultPath, "TMPDIR=" + t.TempDir(), "HOME=" + t.TempDir()})
	go k.reap()
	ownSignals := make(chan os.Signal, 1)
	signal.Notify(ownSignals, ownSignal)
	go k.handleSignals(ownSignals)
	t.Cleanup(func() {
		signal.Stop(ownSignals)
		close(ownSignals)
		if !k.killLeftovers() {
			t.Error("a process of the test still runs")
		}
		close(k.mayHaveChildren)
	})
	return &bench{t: t, keep: k, agent: agent, work: t.TempDir()}
}

func (b *bench) start(c command) {
	c.id = 1
	if c.cwd == "" {
		c.cwd = b.work
	}
	go b.keep.run(c, b.keep.admit(c.id))
}

// Reads what the agent receives until the command ends. Gives credit for every byte at once.
func (b *bench) listen() received {
	b.t.Helper()
	var h received
	for {
		f := b.receive()
		switch f.kind {
		case saysStarted:
			h.started = true
		case saysStdout:
			h.stdout += string(f.payload)
			b.keep.credit(f.id, len(f.payload))
		case saysStderr:
			h.stderr += string(f.payload)
			b.keep.credit(f.id, len(f.payload))
		case saysOutput:
			h.output += string(f.payload)
		case saysExit:
			h.end = exit{f.payload[0], binary.BigEndian.Uint32(f.payload[2:]), f.payload[1], string(f.payload[6:])}
			return h
		}
	}
}

func (b *bench) receive() frame {
	b.t.Helper()
	b.agent.socket.SetReadDeadline(time.Now().Add(timeout))
	f, err := b.agent.receive()
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

// Whether the agent receives anything within this time. Leaves the bytes in the socket.
func (b *bench) receivesWithin(limit time.Duration) bool {
	b.t.Helper()
	raw, err := b.agent.socket.SyscallConn()
	if err != nil {
		b.t.Fatal(err)
	}
	b.agent.socket.SetReadDeadline(time.Now().Add(limit))
	return raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return err == nil
	}) == nil
}

func (b *bench) run(c command) received {
	b.t.Helper()
	b.start(c)
	return b.listen()
}

func script(text string) command {
	return command{argv: []string{"/bin/sh", "-e"}, hasScript: true, script: text}
}

func TestACommandEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho ran\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command        command
		kind           byte
		code           uint32
		stdout, stderr string
		message        string
	}{
		"with success":                                       {script("echo out; echo err >&2"), exitKindCode, 0, "out\n", "err\n", ""},
		"with its exit code":                                 {script("exit 42"), exitKindCode, 42, "", "", ""},
		"at the line where its script fails":                 {script("false\necho on"), exitKindCode, 1, "", "", ""},
		"by a signal":                                        {script("kill -9 $$"), exitKindSignal, 9, "", "", ""},
		"before it began: no such program":                   {command{argv: []string{"no-such-program"}}, exitKindNotStarted, 127, "", "", "no such program"},
		"before it began: not executable":                    {command{argv: []string{file}}, exitKindNotStarted, 126, "", "", "permission denied"},
		"before it began: no interpreter":                    {command{hasScript: true, script: "#!/no/such/sh\n"}, exitKindNotStarted, 127, "", "", "interpreter"},
		"before it began: no directory":                      {command{argv: []string{"true"}, cwd: file + "/below"}, exitKindNotStarted, 126, "", "", "working directory"},
		"with success, made executable":                      {command{argv: []string{file}, makeExecutable: true}, exitKindCode, 0, "ran\n", "", ""},
		"with success, without an input":                     {script("cat; echo done"), exitKindCode, 0, "done\n", "", ""},
		"with success, its arguments are not run by a shell": {command{argv: []string{"printf", "%s", "$HOME; exit 3"}}, exitKindCode, 0, "$HOME; exit 3", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			os.Chmod(file, 0o600)
			got := newBench(t).run(c.command)
			if got.end.kind != c.kind || got.end.code != c.code || !strings.Contains(got.end.message, c.message) {
				t.Errorf("end: %+v", got.end)
			}
			if got.stdout != c.stdout || got.stderr != c.stderr {
				t.Errorf("printed %q and %q", got.stdout, got.stderr)
			}
			if got.started != (c.kind != exitKindNotStarted) {
				t.Errorf("started: %v", got.started)
			}
		})
	}
}

func TestACommandsOutput(t *testing.T) {
	for name, c := range map[string]struct{ script, output, message string }{
		"is the content of the file":      {`printf 'a=1\nb=2' > "$SVC_OUTPUT"`, "a=1\nb=2", ""},
		"may be longer than one frame":    {`head -c 150000 /dev/zero | tr '\0' x > "$SVC_OUTPUT"`, strings.Repeat("x", 150_000), ""},
		"has one file under two names":    {`echo a > "$MILLRACE_OUTPUT"; cat "$SVC_OUTPUT"`, "a\n", ""},
		"may be missing":                  {`rm "$SVC_OUTPUT"`, "", ""},
		"does not show other files":       {`ln -sf /etc/passwd "$SVC_OUTPUT"`, "", ""},
		"must not be a folder":            {`rm "$SVC_OUTPUT"; mkdir "$SVC_OUTPUT"`, "", "no longer a plain file"},
		"must not be a pipe":              {`rm "$SVC_OUTPUT"; mkfifo "$SVC_OUTPUT"`, "", "no longer a plain file"},
		"must not be larger than allowed": {`head -c 1048577 /dev/zero > "$SVC_OUTPUT"`, "", "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			task := script(c.script)
			task.wantsOutput = true
			got := newBench(t).run(task)
			if got.output != c.output || !strings.Contains(got.end.message, c.message) {
				t.Errorf("got %d bytes, %+v", len(got.output), got.end)
			}
			if failed := got.end.code != 0; failed != (c.message != "") {
				t.Errorf("end: %+v", got.end)
			}
		})
	}
}

func TestACommandThatIsNoTaskHasNoOutput(t *testing.T) {
	got := newBench(t).run(script(`echo "${SVC_OUTPUT-none} ${MILLRACE_OUTPUT-none}"`))
	if got.stdout != "none none\n" || got.output != "" {
		t.Errorf("printed %q, put out %q", got.stdout, got.output)
	}
}

func TestNothingOutlivesItsCommand(t *testing.T) {
	for name, text := range map[string]string{
		"a child":                      `sleep 1000 & echo $!`,
		"a child of its own session":   `setsid sh -c 'echo $$ > pid; exec sleep 1000' & until [ -s pid ]; do sleep 0.01; done; cat pid`,
		"a child that ignores signals": `sh -c 'trap "" TERM HUP INT; echo $$ > pid; sleep 1000' & until [ -s pid ]; do sleep 0.01; done; cat pid`,
		"a child of a failed command":  `sleep 1000 & echo $!; exit 3`,
	} {
		t.Run(name, func(t *testing.T) {
			got := newBench(t).run(script(text))
			pid, err := strconv.Atoi(strings.TrimSpace(got.stdout))
			if err != nil {
				t.Fatalf("printed %q", got.stdout)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is still there: %v", pid, err)
			}
			if got.end.notes&exitNoteLeftovers != 0 {
				t.Errorf("end: %+v", got.end)
			}
		})
	}
}

func TestThePrivateDirectoryOfACommandThatCannotStartIsRemoved(t *testing.T) {
	for name, c := range map[string]command{
		"no program":      {argv: []string{"/no/such/program"}},
		"not executable":  {argv: []string{"/etc/passwd"}},
		"a missing input": {argv: []string{"/bin/true"}, inputs: []string{"missing"}},
		"a wrong format":  {argv: []string{"./not-a-program"}},
		"too long for it": {argv: []string{"/bin/true", strings.Repeat("x", 1<<20)}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if err := os.WriteFile(filepath.Join(b.work, "not-a-program"), []byte("\x7fELF"), 0o755); err != nil {
				t.Fatal(err)
			}
			if h := b.run(c); h.end.kind != exitKindNotStarted {
				t.Fatalf("%+v", h)
			}
			if left := namesIn(b.keep.temporary); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// The next command of the container, perhaps with other secrets, starts as soon as the end is reported.
func TestThePrivateDirectoryOfACommandIsGoneWhenItsEndIsReported(t *testing.T) {
	b := newBench(t)
	c := script(`pwd; echo "$WORKDIR"; echo "$SVC_OUTPUT"
		mkdir sealed; seq 3000 | sed 's,^,sealed/,' | xargs touch; chmod 0 sealed`)
	c.ownDirectory = true
	c.wantsOutput = true
	lines := strings.Fields(b.run(c).stdout)
	if len(lines) != 3 || lines[0] != lines[1] || filepath.Dir(lines[0]) != filepath.Dir(lines[2]) {
		t.Fatalf("printed %q", lines)
	}
	if _, err := os.Stat(filepath.Dir(lines[0])); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its private directory still exists: %v", err)
	}
}

func TestTheAgentEndsACommand(t *testing.T) {
	t.Run("that runs", func(t *testing.T) {
		b := newBench(t)
		b.start(script(`echo ready; sleep 1000`))
		for b.receive().kind != saysStdout {
		}
		b.keep.signal(1, syscall.SIGTERM)
		if end := b.listen().end; end.kind != exitKindSignal || end.code != uint32(syscall.SIGTERM) {
			t.Errorf("end: %+v", end)
		}
	})
	t.Run("that has not begun", func(t *testing.T) {
		b := newBench(t)
		p := b.keep.admit(1)
		b.keep.signal(1, syscall.SIGTERM)
		c := script(`echo never`)
		c.id, c.cwd = 1, b.work
		go b.keep.run(c, p)
		if got := b.listen(); got.started || got.end.kind != exitKindNotStarted || got.stdout != "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("that is over: nothing happens", func(t *testing.T) {
		b := newBench(t)
		b.run(script(`true`))
		b.keep.signal(1, syscall.SIGKILL)
		b.keep.credit(1, 1)
	})
}

func TestTheKubeletEndsTheContainer(t *testing.T) {
	b := newBench(t)
	signals := make(chan os.Signal, 2)
	go b.keep.handleSignals(signals)
	defer close(signals)
	b.start(script(`trap 'echo told; exit 7' TERM; echo ready; while :; do sleep 0.01; done`))
	for b.receive().kind != saysStdout {
	}
	signals <- syscall.SIGHUP
	signals <- syscall.SIGTERM
	got := b.listen()
	if got.end.code != 7 || got.end.notes&exitNoteTerminated == 0 || got.stdout != "told\n" {
		t.Errorf("got %+v", got)
	}
}

func TestTheEndOfAStepIsReportedOnlyAfterItsSignalsAreHandled(t *testing.T) {
	shim, _ := linked(t)
	k := newKeeper(shim, nil)
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, ownSignal)
	defer signal.Stop(signals)
	signals <- syscall.SIGTERM
	caughtUp := make(chan bool)
	go func() {
		k.catchUp()
		caughtUp <- k.terminated.Load()
	}()
	select {
	case <-caughtUp:
		t.Fatal("it did not wait until the signal was handled")
	case <-time.After(300 * time.Millisecond):
	}
	go k.handleSignals(signals)
	if !<-caughtUp {
		t.Error("it continued before SIGTERM was handled")
	}
}

func TestACommandWaitsForTheAgentToRead(t *testing.T) {
	b := newBench(t)
	const printed = 2 * windowBytes
	b.start(script(`head -c ` + strconv.Itoa(printed) + ` /dev/zero`))
	taken := 0
	for taken <= windowBytes-chunk {
		if f := b.receive(); f.kind == saysStdout {
			taken += len(f.payload)
		}
	}
	for b.receivesWithin(200 * time.Millisecond) {
		taken += len(b.receive().payload)
	}
	if taken > windowBytes {
		t.Fatalf("%d bytes were sent, but there was credit for only %d", taken, windowBytes)
	}
	b.keep.credit(1, printed)
	if rest := len(b.listen().stdout); taken+rest != printed {
		t.Errorf("%d bytes and then %d", taken, rest)
	}
}

func TestAnExitOnTheWire(t *testing.T) {
	shim, agent := linked(t)
	k := &keeper{link: shim}
	k.sendExit(3, exit{kind: exitKindSignal, code: 9, notes: exitNoteOutOfMemory | exitNoteTerminated, message: "why"})
	f, err := agent.receive()
	if err != nil || f.kind != saysExit || f.id != 3 {
		t.Fatalf("%+v, %v", f, err)
	}
	if want := []byte{exitKindSignal, 3, 0, 0, 0, 9, 'w', 'h', 'y'}; !bytes.Equal(f.payload, want) {
		t.Errorf("got %v", f.payload)
	}
}

func TestWhyACommandDidNotStart(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		code    uint32
		message string
	}{
		"missing":   {syscall.ENOENT, 127, "no such program"},
		"no format": {syscall.ENOEXEC, 126, "neither a program nor a script"},
		"too long":  {syscall.E2BIG, 126, "too long for the kernel"},
		"cancelled": {syscall.ECANCELED, 126, "cancelled before it started"},
		"forbidden": {syscall.EACCES, 126, "tool: permission denied"},
	} {
		if got := explainStart("tool", c.err); got.kind != exitKindNotStarted || got.code != c.code || !strings.Contains(got.message, c.message) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestParentOf(t *testing.T) {
	if got := parentOf(os.Getpid()); got != os.Getppid() {
		t.Errorf("got %d, want %d", got, os.Getppid())
	}
	if got := parentOf(1 << 30); got != 0 {
		t.Errorf("a process that does not exist: got parent %d", got)
	}
}
