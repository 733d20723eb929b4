package main

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const killLimit = 10 * time.Second

// The keeper starts the agent's commands, knows their processes, and kills those that must not stay.
type keeper struct {
	link      *link
	inherited []string
	// $TMPDIR of the image, if it has one.
	temporary string

	// Held while a process starts and while the leftovers of a command are killed: the two never overlap.
	gate sync.Mutex

	mu sync.Mutex
	// Commands that run, by process id.
	running map[int]*process
	// Shells that run beside these commands, by process id.
	shells map[int]*process
	// Commands and shells that the agent asked for and whose end is not reported yet, by the id that the
	// agent gave them.
	known map[uint32]*process
	files *temporaryFiles
	// Each channel is closed when all signals that were sent before it was added are handled.
	catchingUp []chan struct{}

	// Wakes the reaper after a process has started or may have been orphaned.
	mayHaveChildren chan struct{}
	// The kubelet (or a step) asked this container to end.
	terminated atomic.Bool
}

func newKeeper(l *link, inherited []string) *keeper {
	e := environment{values: map[string]string{}}
	e.add(inherited)
	return &keeper{
		link:            l,
		inherited:       inherited,
		temporary:       e.values["TMPDIR"],
		running:         map[int]*process{},
		shells:          map[int]*process{},
		known:           map[uint32]*process{},
		files:           newTemporaryFiles(e.values["TMPDIR"]),
		mayHaveChildren: make(chan struct{}, 1),
	}
}

func (k *keeper) serve(signals <-chan os.Signal) {
	go k.reap()
	go k.handleSignals(signals)
	for {
		f, err := k.link.receive()
		if err != nil {
			k.killLeftovers()
			fail("the agent is gone: " + err.Error())
		}
		switch f.kind {
		case toRun:
			c, err := decodeCommand(f.id, f.payload)
			if err != nil {
				k.sendExit(f.id, exit{kind: exitKindNotStarted, code: 126, message: err.Error()})
				continue
			}
			p := k.admit(c.id)
			go k.run(c, p)
		case toSignal:
			if len(f.payload) == 1 {
				k.signal(f.id, syscall.Signal(f.payload[0]))
			}
		case toCredit:
			r := reader{rest: f.payload}
			k.credit(f.id, r.number())
		case toDebug:
			k.beginDebug(f)
		case toInput:
			if s := k.shellOf(f.id); s != nil {
				s.receive(f.payload)
			}
		case toResize:
			k.resizeShell(f.id, f.payload)
		case toEnd:
			k.killLeftovers()
			os.Exit(0)
		}
	}
}

// Registers a command or shell under its id, so that the agent can signal it even before it starts.
func (k *keeper) admit(id uint32) *process {
	p := &process{id: id, ended: make(chan syscall.WaitStatus, 1), window: newWindow()}
	k.mu.Lock()
	k.known[id] = p
	k.mu.Unlock()
	return p
}

func (k *keeper) forget(id uint32) {
	k.mu.Lock()
	delete(k.known, id)
	k.mu.Unlock()
}

func (k *keeper) credit(id uint32, bytes int) {
	k.mu.Lock()
	p := k.known[id]
	k.mu.Unlock()
	if p != nil {
		p.window.give(bytes)
	}
}

func (k *keeper) signal(id uint32, s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.known[id]
	if p == nil {
		return
	}
	p.unwanted = true
	if p.pid != 0 && (k.running[p.pid] == p || k.shells[p.pid] == p) {
		syscall.Kill(-p.pid, s)
	}
}

// Starts the process and registers its process id before the reaper can see it end.
func (k *keeper) start(p *process, program string, argv []string, attributes *syscall.ProcAttr) error {
	k.gate.Lock()
	defer k.gate.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.unwanted || p.shell != nil && !k.isRunning(p.shell.beside) {
		return syscall.ECANCELED
	}
	pid, err := syscall.ForkExec(program, argv, attributes)
	if err != nil {
		return err
	}
	p.pid = pid
	if p.shell == nil {
		k.running[pid] = p
	} else {
		k.shells[pid] = p
	}
	k.wakeReaper()
	return nil
}

// The caller holds k.mu.
func (k *keeper) isRunning(p *process) bool {
	return p != nil && k.running[p.pid] == p
}

func (k *keeper) wakeReaper() {
	select {
	case k.mayHaveChildren <- struct{}{}:
	default:
	}
}

func (k *keeper) reap() {
	for range k.mayHaveChildren {
		for k.reapOne() {
		}
	}
}

// Waits for any child to end. Frees the child's pid only while it holds k.mu, so that a signal never reaches
// another process with the same pid. Returns false if there is no child.
func (k *keeper) reapOne() bool {
	// P_ALL, WEXITED and WNOWAIT of waitid(2), and the offset of si_pid in siginfo_t on amd64 and arm64.
	const anyChild, exited, leaveIt = 0, 4, 0x01000000
	const pidOffset = 16
	var info [128]byte
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, anyChild, 0, uintptr(unsafe.Pointer(&info)), exited|leaveIt, 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return false
		}
		break
	}
	pid := int(*(*int32)(unsafe.Pointer(&info[pidOffset])))
	k.mu.Lock()
	defer k.mu.Unlock()
	var status syscall.WaitStatus
	if got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != nil || got != pid {
		return true
	}
	for _, started := range []map[int]*process{k.running, k.shells} {
		if p := started[pid]; p != nil {
			delete(started, pid)
			p.ended <- status
		}
	}
	return true
}

// Kills the shells beside a command that has ended, and what the command left behind: every process of the
// container if the command is alone in it. If other commands run, or the container belongs to a service,
// kills only the process group of the command, or nothing if sparesOwn is set. Returns whether the command
// was alone, and whether every process that had to end has ended.
func (k *keeper) clean(p *process, c command) (alone, gone bool) {
	k.gate.Lock()
	defer k.gate.Unlock()
	k.mu.Lock()
	alone = len(k.running) == 0 && !c.sparesOthers
	k.mu.Unlock()
	k.endShells(p)
	if alone {
		return true, k.killLeftovers()
	}
	if !c.sparesOwn {
		syscall.Kill(-p.pid, syscall.SIGKILL)
	}
	return false, true
}

func (k *keeper) killLeftovers() bool {
	limit := time.Now().Add(killLimit)
	pause := 100 * time.Microsecond
	for {
		if killOnce() {
			return true
		}
		if time.Now().After(limit) {
			return false
		}
		k.wakeReaper()
		time.Sleep(pause)
		if pause < 5*time.Millisecond {
			pause *= 2
		}
	}
}

// Kills all other processes once. Returns whether none was left.
func killOnce() bool {
	if os.Getpid() == 1 {
		return syscall.Kill(-1, syscall.SIGKILL) == syscall.ESRCH
	}
	pids := descendants()
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(pids) == 0
}

// The processes that this process started, directly or not. Only these may be killed if the shim is not
// process 1, as in tests and in a Pod that shares its process namespace.
func descendants() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if parent := parentOf(pid); parent > 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for next := []int{os.Getpid()}; len(next) > 0; next = next[1:] {
		found = append(found, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return found
}

func parentOf(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name of the program stands in parentheses, and may contain spaces and parentheses itself.
	endOfName := max(0, strings.LastIndexByte(string(text), ')'))
	_, afterName, found := strings.Cut(string(text[endOfName:]), ") ")
	fields := strings.Fields(afterName)
	if !found || len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}
