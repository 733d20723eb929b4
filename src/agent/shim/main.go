// The shim is process 1 of every container in which steps run, unless the Pod shares its process namespace.
// Before any step starts, the shim opens one connection to the agent. Over this connection it receives
// commands and reports how they ended. No step can pretend to be the shim: the shim's process is not
// dumpable, the shim removes its key from memory and environment before the first step starts, and every
// frame is sealed.
package main

import (
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const (
	// Options of prctl(2).
	prSetDumpable       = 4
	prSetChildSubreaper = 36

	// How long the shim tries to reach the agent, and the pause between two attempts.
	dialLimit = 60 * time.Second
	dialPause = 3 * time.Millisecond
)

// Version is set by the build from the hash of the sources.
var version = "development"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		os.Stdout.WriteString(version + "\n")
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "install" {
		if err := install(os.Args[2]); err != nil {
			fail("cannot be installed: " + err.Error())
		}
		return
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		fail("cannot hide from its steps: " + errno.Error())
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals) // Catches all signals, so that none ends the shim. Children do not inherit this.
	if os.Getpid() != 1 {
		// The shim then inherits orphaned processes, as process 1 does.
		syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	}
	// The users of a Pod share a group, so files that steps create are writable for their group.
	syscall.Umask(0o002)
	start, problem := readStart()
	if problem != "" {
		fail(problem)
	}
	link, err := connect(start)
	if err != nil {
		fail(err.Error())
	}
	newKeeper(link, start.inherited).serve(signals)
}

type start struct {
	key       []byte
	port      int
	container string
	// The environment that steps inherit: that of the image, without the variables of Millrace and Kubernetes.
	inherited []string
}

func readStart() (start, string) {
	var s start
	port, err := strconv.Atoi(os.Getenv("MILLRACE_SHIM_PORT"))
	if err != nil || port < 1 || port > 65535 {
		return s, "MILLRACE_SHIM_PORT is not a port number"
	}
	s.port = port
	// The texts are copied, because wipeEnvironment overwrites the memory that os.Getenv returns.
	s.container = string([]byte(os.Getenv("MILLRACE_CONTAINER")))
	if s.container == "" || len(s.container) > 255 {
		return s, "MILLRACE_CONTAINER is not set"
	}
	hex := os.Getenv("MILLRACE_SHIM_KEY")
	s.key = decodeHex(hex)
	if len(s.key) != 32 {
		return s, "MILLRACE_SHIM_KEY is not a key of 64 hexadecimal digits"
	}
	for _, entry := range os.Environ() {
		if isForSteps(entry) {
			s.inherited = append(s.inherited, string([]byte(entry)))
		}
	}
	os.Clearenv()
	wipeEnvironment()
	return s, ""
}

// Overwrites the environment that the process started with. Otherwise /proc/1/environ would still show it to
// every process that may read the file.
func wipeEnvironment() {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	_, after, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(after)
	// env_start and env_end of proc_pid_stat(5), counted from the field after the name of the program.
	const environmentStart, environmentEnd = 47, 48
	if len(fields) <= environmentEnd {
		return
	}
	from, _ := strconv.ParseUint(fields[environmentStart], 10, 64)
	to, _ := strconv.ParseUint(fields[environmentEnd], 10, 64)
	if from == 0 || to <= from || to-from > 16<<20 {
		return
	}
	clear(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), from)), to-from))
}

func fail(message string) {
	os.Stderr.WriteString("millrace-shim: " + message + "\n")
	os.Exit(1)
}
