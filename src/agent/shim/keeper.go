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

// The keeper starts the agent's commands, keeps account of every process below it, and leaves none behind.
type keeper struct {
	link      *link
	inherited []string
	// $TMPDIR of the image, if it has one.
	temporary string

	// Held while a process starts and while leftovers are killed, so that neither meets the other.
	gate sync.Mutex

	mu      sync.Mutex
	running map[int]*process
	// Shells of people beside them.
	shells    map[int]*process
	known     map[uint32]*process
	leftovers *leftovers
	// Closed when all signals sent so far are handled.
	catchingUp []chan struct{}

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
		leftovers:       newLeftovers(e.values["TMPDIR"]),
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
				k.exit(f.id, exit{kind: exitKindNotStarted, code: 126, message: err.Error()})
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

// Starts the process and enters it into the account before the reaper can meet it.
func (k *keeper) start(p *process, program string, argv []string, attributes *syscall.ProcAttr) error {
	k.gate.Lock()
	defer k.gate.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.unwanted || p.shell != nil && !k.runs(p.shell.beside) {
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

// The caller holds the lock.
func (k *keeper) runs(p *process) bool {
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

// Waits for any child. Its pid is freed only under the lock, so a signal never hits another process with the
// same pid.
func (k *keeper) reapOne() bool {
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

// Ends what a command left behind: everything if it is alone in the container. Beside other commands, or in
// the container of a service, only its process group, or nothing. Returns whether it was alone, and whether
// everything is gone.
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

// True when nothing is left to kill.
func killOnce() bool {
	if os.Getpid() == 1 {
		return syscall.Kill(-1, syscall.SIGKILL) == syscall.ESRCH
	}
	below := descendants()
	for _, pid := range below {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(below) == 0
}

// Not process 1 (tests, or a Pod that shares its process namespace): only what is below this process is ours
// to kill.
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
	var all []int
	for next := []int{os.Getpid()}; len(next) > 0; next = next[1:] {
		all = append(all, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return all
}

func parentOf(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, found := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), ") ")
	fields := strings.Fields(after)
	if !found || len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}
