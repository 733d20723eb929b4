package main

import (
	"bytes"
	"crypto/hmac"
	"encoding/binary"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

var agentKey, shimKey = bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)

func socketPair(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs = os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

// The two ends of one connection: each opens what the other one seals.
func linked(t *testing.T) (shim, agent *link) {
	t.Helper()
	ours, theirs := socketPair(t)
	return &link{socket: ours, open: sealWith(agentKey), seal: sealWith(shimKey)},
		&link{socket: theirs, open: sealWith(shimKey), seal: sealWith(agentKey)}
}

// The bytes that the agent sends for these payloads, one entry for each frame.
func sealedFrames(t *testing.T, payloads ...string) [][]byte {
	t.Helper()
	ours, theirs := socketPair(t)
	agent := &link{socket: ours, seal: sealWith(agentKey)}
	var frames [][]byte
	for _, payload := range payloads {
		if err := agent.send(toRun, 9, []byte(payload)); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, make([]byte, 4+5+len(payload)+16))
		if _, err := io.ReadFull(theirs, frames[len(frames)-1]); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

func TestFramesArriveAsTheyWereSent(t *testing.T) {
	shim, agent := linked(t)
	sent := []frame{
		{toRun, 1, []byte("run")},
		{toEnd, 0, []byte{}},
		{toCredit, 1<<32 - 1, bytes.Repeat([]byte("x"), 100_000)},
	}
	go func() {
		for _, f := range sent {
			agent.send(f.kind, f.id, f.payload)
		}
	}()
	for _, want := range sent {
		got, err := shim.receive()
		if err != nil || got.kind != want.kind || got.id != want.id || !bytes.Equal(got.payload, want.payload) {
			t.Fatalf("got kind %d, id %d, %d bytes, %v", got.kind, got.id, len(got.payload), err)
		}
	}
}

func TestReceiveRefuses(t *testing.T) {
	flipped := func(frame []byte, at int) []byte {
		frame[at] ^= 1
		return frame
	}
	size := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	two := sealedFrames(t, "one", "two")
	// A frame that the shim itself has sent and that comes back: it is sealed with the key of the other
	// direction.
	_, mirror := linked(t)
	mirror.seal = sealWith(shimKey)
	ours, theirs := socketPair(t)
	mirror.socket = ours
	mirror.send(toRun, 9, []byte("one"))
	reflected := make([]byte, 4+5+3+16)
	io.ReadFull(theirs, reflected)

	for name, c := range map[string]struct {
		bytes []byte
		// How many frames the shim accepts before the one it refuses.
		accepted int
	}{
		"a changed bit of the kind":        {flipped(sealedFrames(t, "one")[0], 4), 0},
		"a changed bit of the text":        {flipped(sealedFrames(t, "one")[0], 10), 0},
		"a changed bit of the seal":        {flipped(sealedFrames(t, "one")[0], 27), 0},
		"a repeated frame":                 {append(append([]byte{}, two[0]...), two[0]...), 1},
		"the second frame first":           {append(append([]byte{}, two[1]...), two[0]...), 0},
		"the third after the first":        {append(append([]byte{}, two[0]...), sealedFrames(t, "one", "two", "three")[2]...), 1},
		"a frame of the other direction":   {reflected, 0},
		"an empty frame":                   {size(0), 0},
		"a frame smaller than its seal":    {append(size(20), make([]byte, 20)...), 0},
		"a frame larger than allowed":      {size(maxFrame + 1), 0},
		"a frame that ends in the middle":  {two[0][:12], 0},
		"a length that ends in the middle": {two[0][:2], 0},
		"the end of the stream":            {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := socketPair(t)
			shim := &link{socket: ours, open: sealWith(agentKey)}
			theirs.Write(c.bytes)
			theirs.Close()
			for range c.accepted {
				if _, err := shim.receive(); err != nil {
					t.Fatal(err)
				}
			}
			if f, err := shim.receive(); err == nil {
				t.Fatalf("it was accepted: %+v", f)
			}
		})
	}
}

func TestConnect(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	for name, c := range map[string]struct {
		// The key of the container as the listening program knows it.
		known []byte
		// How many bytes its answer lacks.
		missing int
		problem string
	}{
		"the agent":                       {key, 0, ""},
		"a program without the key":       {bytes.Repeat([]byte{8}, 32), 0, "not the agent"},
		"an agent that gives no answer":   {key, 64, "did not accept"},
		"an answer without its last byte": {key, 1, "did not accept"},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			agents := make(chan *link, 1)
			go answer(listener, c.known, c.missing, agents)
			keyOfShim := bytes.Clone(key)
			l, err := connect(start{key: keyOfShim, port: listener.Addr().(*net.TCPAddr).Port, container: "worker"})
			agent := <-agents
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if agent == nil {
				t.Fatal("the shim did not prove that it knows its key")
			}
			if !bytes.Equal(keyOfShim, make([]byte, 32)) {
				t.Error("the key is still in memory")
			}
			agent.send(toSignal, 3, []byte{15})
			if f, err := l.receive(); err != nil || f.kind != toSignal || f.id != 3 {
				t.Errorf("the agent's frame: %+v, %v", f, err)
			}
			l.send(saysExit, 3, []byte("end"))
			if f, err := agent.receive(); err != nil || string(f.payload) != "end" {
				t.Errorf("the shim's frame: %+v, %v", f, err)
			}
		})
	}
}

// The agent's part of the handshake. The answer lacks its last `missing` bytes.
func answer(listener net.Listener, known []byte, missing int, agents chan<- *link) {
	socket, err := listener.(*net.TCPListener).AcceptTCP()
	if err != nil {
		agents <- nil
		return
	}
	defer socket.Close()
	hello := make([]byte, len(magic)+1+len("worker")+nonceBytes+32)
	io.ReadFull(socket, hello)
	at := len(magic) + 1 + len("worker")
	container, shimNonce, proof := hello[at-len("worker"):at], hello[at:at+nonceBytes], hello[at+nonceBytes:]
	proven := string(hello[:len(magic)]) == magic && hmac.Equal(proof, mac(known, "millrace shim", container, shimNonce))
	agentNonce := bytes.Repeat([]byte{5}, nonceBytes)
	reply := append(bytes.Clone(agentNonce), mac(known, "millrace agent", shimNonce, agentNonce)...)
	socket.Write(reply[:len(reply)-missing])
	if missing > 0 || !proven {
		agents <- nil
		return
	}
	file, _ := socket.File()
	agents <- &link{
		socket: file,
		open:   sealWith(mac(known, "shim to agent", shimNonce, agentNonce)),
		seal:   sealWith(mac(known, "agent to shim", shimNonce, agentNonce)),
	}
}

func TestKeysDependOnAllTheirParts(t *testing.T) {
	base := mac([]byte("key"), "label", []byte("a"), []byte("b"))
	for name, other := range map[string][]byte{
		"key":   mac([]byte("kez"), "label", []byte("a"), []byte("b")),
		"label": mac([]byte("key"), "labem", []byte("a"), []byte("b")),
		"first": mac([]byte("key"), "label", []byte("c"), []byte("b")),
		"order": mac([]byte("key"), "label", []byte("b"), []byte("a")),
	} {
		if hmac.Equal(base, other) {
			t.Errorf("another %s gives the same key", name)
		}
	}
}
