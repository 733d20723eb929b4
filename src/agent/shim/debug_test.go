package main

import (
	"encoding/binary"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDecodeDebug(t *testing.T) {
	whole := wire{}.number(7).number(80).number(24).text("/work").list("ls", "-l").list("A=1")
	want := debugRequest{beside: 7, columns: 80, rows: 24, cwd: "/work", argv: []string{"ls", "-l"}, env: []string{"A=1"}}
	if got, err := decodeDebug(whole); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := decodeDebug(whole[:len(whole)-1]); err == nil {
		t.Error("a request without its last byte is accepted")
	}
}

const shellId = 2

// What the agent has received so far, by the id of the command or shell.
type listener struct {
	bench  *bench
	stdout map[uint32]string
	ends   map[uint32]exit
	// How many inputs the shell has read.
	consumed int
}

func (b *bench) listener() *listener {
	return &listener{bench: b, stdout: map[uint32]string{}, ends: map[uint32]exit{}}
}

func (l *listener) until(isDone func() bool) {
	l.bench.t.Helper()
	for !isDone() {
		f := l.bench.receive()
		switch f.kind {
		case saysStdout, saysStderr:
			l.stdout[f.id] += string(f.payload)
			l.bench.keep.credit(f.id, len(f.payload))
		case saysConsumed:
			l.consumed++
		case saysExit:
			l.ends[f.id] = exit{f.payload[0], binary.BigEndian.Uint32(f.payload[2:]), f.payload[1], string(f.payload[6:])}
		}
	}
}

func (l *listener) untilPrinted(id uint32, text string) {
	l.bench.t.Helper()
	l.until(func() bool { return strings.Contains(l.stdout[id], text) })
}

func (l *listener) untilEnded(id uint32) exit {
	l.bench.t.Helper()
	l.until(func() bool { _, ended := l.ends[id]; return ended })
	return l.ends[id]
}

func (b *bench) debug(r debugRequest) {
	r.beside = 1
	r.cwd = b.work
	payload := wire{}.number(int(r.beside)).number(r.columns).number(r.rows).text(r.cwd).list(r.argv...).list(r.env...)
	b.keep.beginDebug(frame{toDebug, shellId, payload})
}

func (b *bench) enter(text string) {
	b.keep.shellOf(shellId).receive([]byte(text))
}

// Starts a command that ends when the file `go-on` exists, and waits until it runs.
func (b *bench) startWaiting(more string) *listener {
	b.t.Helper()
	b.start(script("echo runs\nwhile [ ! -e go-on ]; do sleep 0.02; done\n" + more))
	l := b.listener()
	l.untilPrinted(1, "runs\n")
	return l
}

func (b *bench) goOn() {
	os.WriteFile(b.work+"/go-on", nil, 0o600)
}

func TestAShellHasATerminal(t *testing.T) {
	b := newBench(t)
	l := b.startWaiting("exit 3")
	b.debug(debugRequest{columns: 81, rows: 25, argv: []string{"sh"}, env: []string{"COLOUR=green", "PS1=$ "}})
	for i, c := range []struct{ typed, printed string }{
		{"test -t 0 && test -t 1 && test -t 2 && echo on a $((1+1)) terminal\n", "on a 2 terminal"},
		{"stty size\n", "25 81"},
		{"echo $COLOUR-$PWD\n", "green-" + b.work},
	} {
		b.enter(c.typed)
		l.untilPrinted(shellId, c.printed)
		l.until(func() bool { return l.consumed == i+1 })
	}
	b.keep.resizeShell(shellId, wire{}.number(100).number(40))
	b.enter("stty size\n")
	l.untilPrinted(shellId, "40 100")
	l.until(func() bool { return l.consumed == 4 })
	b.enter("exit 7\n")
	if end := l.untilEnded(shellId); end.kind != exitKindCode || end.code != 7 {
		t.Errorf("the shell: %+v", end)
	}
	b.goOn()
	if end := l.untilEnded(1); !reflect.DeepEqual(end, exit{kind: exitKindCode, code: 3}) {
		t.Errorf("the command: %+v", end)
	}
}

func TestAShellWithoutATerminalReadsToTheEnd(t *testing.T) {
	b := newBench(t)
	l := b.startWaiting("")
	b.debug(debugRequest{argv: []string{"sh", "-c", "tr a-z A-Z; echo done; exit 4"}})
	b.enter("hello")
	l.until(func() bool { return l.consumed == 1 })
	b.enter("")
	if end := l.untilEnded(shellId); end.code != 4 {
		t.Errorf("end: %+v", end)
	}
	if got := l.stdout[shellId]; got != "HELLOdone\n" {
		t.Errorf("printed %q", got)
	}
	b.goOn()
	l.untilEnded(1)
}

func TestAShellEndsWithItsCommand(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		argv []string
	}{
		"on a terminal":                        {80, []string{"sh", "-c", "trap '' HUP TERM; echo here; while :; do sleep 1; done"}},
		"without a terminal":                   {0, []string{"sh", "-c", "trap '' HUP TERM; echo here; while :; do sleep 1; done"}},
		"with its processes in the background": {80, []string{"sh", "-c", "setsid sleep 1000 & echo here; sleep 1000"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			l := b.startWaiting("exit 5")
			b.debug(debugRequest{columns: c.size, rows: c.size, argv: c.argv})
			l.untilPrinted(shellId, "here")
			b.goOn()
			if end := l.untilEnded(1); !reflect.DeepEqual(end, exit{kind: exitKindCode, code: 5}) {
				t.Errorf("the command: %+v", end)
			}
			if end := l.untilEnded(shellId); end.notes != exitNoteCommandEnded {
				t.Errorf("the shell: %+v", end)
			}
			if left := descendants(); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

func TestAShellDoesNotKeepProcessesThatItsCommandLeaves(t *testing.T) {
	b := newBench(t)
	l := b.startWaiting("setsid sleep 1000 &")
	b.debug(debugRequest{argv: []string{"sh", "-c", "echo here; cat"}})
	l.untilPrinted(shellId, "here")
	b.goOn()
	if end := l.untilEnded(1); end.notes != 0 {
		t.Errorf("end: %+v", end)
	}
	if left := descendants(); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
}

func TestAShellIsBashOrSh(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"bash", "sh"} {
		os.WriteFile(tools+"/"+name, []byte("#!/bin/sh\necho this is "+name+"\n"), 0o700)
	}
	for _, c := range []struct{ remove, printed, message string }{
		{"", "this is bash\n", ""},
		{"bash", "this is sh\n", ""},
		{"sh", "", "neither bash nor sh"},
	} {
		os.Remove(tools + "/" + c.remove)
		b := newBench(t)
		l := b.startWaiting("")
		b.debug(debugRequest{env: []string{"PATH=" + tools}})
		end := l.untilEnded(shellId)
		if l.stdout[shellId] != c.printed || !strings.Contains(end.message, c.message) || (end.code != 0) != (c.message != "") {
			t.Errorf("without %q: printed %q, %+v", c.remove, l.stdout[shellId], end)
		}
		b.goOn()
		l.untilEnded(1)
	}
}

func TestNoShellStartsBeforeOrAfterItsCommand(t *testing.T) {
	b := newBench(t)
	l := b.listener()
	b.debug(debugRequest{argv: []string{"sh", "-c", "echo ran"}})
	if end := l.untilEnded(shellId); end.notes != exitNoteCommandEnded || l.stdout[shellId] != "" {
		t.Errorf("before: %+v, printed %q", end, l.stdout[shellId])
	}
	b.run(script("true"))
	delete(l.ends, shellId)
	b.debug(debugRequest{argv: []string{"sh", "-c", "echo ran"}})
	if end := l.untilEnded(shellId); end.notes != exitNoteCommandEnded || l.stdout[shellId] != "" {
		t.Errorf("after: %+v, printed %q", end, l.stdout[shellId])
	}
}

func TestAShellThatHangsUpDoesNotEndItsCommand(t *testing.T) {
	b := newBench(t)
	l := b.startWaiting("exit 6")
	b.debug(debugRequest{columns: 80, rows: 24, argv: []string{"sh", "-c", "echo here; cat"}})
	l.untilPrinted(shellId, "here")
	b.keep.signal(shellId, syscall.SIGHUP)
	if end := l.untilEnded(shellId); end.kind != exitKindSignal || end.code != uint32(syscall.SIGHUP) {
		t.Errorf("the shell: %+v", end)
	}
	b.goOn()
	if end := l.untilEnded(1); end.code != 6 {
		t.Errorf("the command: %+v", end)
	}
}

func TestAShellThatDoesNotReadItsInputCanBeKilled(t *testing.T) {
	b := newBench(t)
	l := b.startWaiting("")
	b.debug(debugRequest{argv: []string{"sh", "-c", "echo here; sleep 1000"}})
	l.untilPrinted(shellId, "here")
	b.enter(strings.Repeat("x", 1<<20))
	time.Sleep(50 * time.Millisecond)
	b.keep.signal(shellId, syscall.SIGKILL)
	l.untilEnded(shellId)
	b.goOn()
	l.untilEnded(1)
}
