package main

import (
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	// Bytes of output in one frame.
	chunk       = 64 << 10
	windowBytes = 512 << 10
	// Bytes of the file $SVC_OUTPUT.
	outputLimit = 1 << 20
	// How long processes that outlive a command may hold its output open.
	leftoversGrace = 500 * time.Millisecond
)

// A window limits how many bytes of a process's output are sent and not yet acknowledged by the agent.
type window struct {
	mu        sync.Mutex
	grown     *sync.Cond
	available int
}

func newWindow() *window {
	w := &window{available: windowBytes}
	w.grown = sync.NewCond(&w.mu)
	return w
}

func (w *window) give(bytes int) {
	w.mu.Lock()
	w.available += bytes
	w.mu.Unlock()
	w.grown.Broadcast()
}

func (w *window) take(bytes int) {
	w.mu.Lock()
	for w.available < bytes {
		w.grown.Wait()
	}
	w.available -= bytes
	w.mu.Unlock()
}

// Sends the output of a stream to the agent, as far as the window allows.
func (k *keeper) pump(kind byte, p *process, stream *os.File, drained chan<- struct{}) {
	defer func() {
		stream.Close()
		drained <- struct{}{}
	}()
	buffer := make([]byte, chunk)
	for {
		n, err := stream.Read(buffer)
		if n > 0 {
			p.window.take(n)
			if k.link.send(kind, p.id, buffer[:n]) != nil {
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			k.drainRest(kind, p, stream, buffer)
			return
		}
		if err != nil {
			return
		}
	}
}

// Sends at most one chunk of what is in the pipe now, because processes that hold the pipe open will not end.
func (k *keeper) drainRest(kind byte, p *process, stream *os.File, buffer []byte) {
	raw, err := stream.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		if n, err := syscall.Read(int(fd), buffer); err == nil && n > 0 {
			p.window.take(n)
			k.link.send(kind, p.id, buffer[:n])
		}
	})
}

// Waits until both streams are read to their end. If all writers are dead, the streams end by themselves,
// however slowly the agent reads. Otherwise a process may hold them open forever, so the wait has a limit.
func waitDrained(streams [2]*os.File, drained <-chan struct{}, writersDead bool) {
	if !writersDead {
		limit := time.AfterFunc(leftoversGrace, func() {
			streams[0].SetReadDeadline(time.Unix(1, 0))
			streams[1].SetReadDeadline(time.Unix(1, 0))
		})
		defer limit.Stop()
	}
	<-drained
	<-drained
}

// Sends the content of the output file. Returns what is wrong with the file: the step may have replaced it by
// a pipe, a directory or a huge file. A file that cannot be opened, because it was deleted or is a link,
// counts as empty.
func (k *keeper) sendOutput(id uint32, path string) string {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	file := os.NewFile(uintptr(fd), "output")
	defer file.Close()
	if stat, err := file.Stat(); err != nil || !stat.Mode().IsRegular() {
		return "$SVC_OUTPUT is no longer a plain file"
	}
	text, err := io.ReadAll(io.LimitReader(file, outputLimit+1))
	if err != nil {
		return "$SVC_OUTPUT cannot be read: " + err.Error()
	}
	if len(text) > outputLimit {
		return "$SVC_OUTPUT is larger than " + strconv.Itoa(outputLimit) + " bytes"
	}
	for len(text) > 0 {
		n := min(len(text), chunk)
		k.link.send(saysOutput, id, text[:n])
		text = text[n:]
	}
	return ""
}
