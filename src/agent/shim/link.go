package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// A frame is a length (4 bytes, big endian) and a sealed text: kind (1 byte), id of the command (4 bytes),
// and payload. The seal is AES-256-GCM with one key for each direction. Its nonce counts the frames, so no
// frame can be forged, replayed, dropped or swapped, not even by a step that may open raw sockets on the
// loopback device.
const (
	maxFrame   = 16 << 20
	magic      = "MRS1"
	nonceBytes = 32
)

type link struct {
	socket   *os.File
	open     cipher.AEAD
	seal     cipher.AEAD
	received uint64

	sending sync.Mutex
	sent    uint64
	buffer  []byte
}

// Connects to the agent. Each side proves that it has the key of this container. The keys of the connection
// depend on nonces of both sides, so each connection has its own.
func connect(s start) (*link, error) {
	socket, err := dial(s.port)
	if err != nil {
		return nil, err
	}
	ownNonce := make([]byte, nonceBytes)
	if _, err := rand.Read(ownNonce); err != nil {
		return nil, err
	}
	hello := append([]byte(magic), byte(len(s.container)))
	hello = append(hello, s.container...)
	hello = append(hello, ownNonce...)
	hello = append(hello, mac(s.key, "millrace shim", []byte(s.container), ownNonce)...)
	if _, err := socket.Write(hello); err != nil {
		return nil, err
	}
	answer := make([]byte, nonceBytes+sha256.Size)
	if _, err := io.ReadFull(socket, answer); err != nil {
		return nil, errors.New("the agent did not accept this container")
	}
	agentNonce := answer[:nonceBytes]
	if !hmac.Equal(answer[nonceBytes:], mac(s.key, "millrace agent", ownNonce, agentNonce)) {
		return nil, errors.New("the program that listens on the port is not the agent")
	}
	l := &link{
		socket: socket,
		open:   sealWith(mac(s.key, "agent to shim", ownNonce, agentNonce)),
		seal:   sealWith(mac(s.key, "shim to agent", ownNonce, agentNonce)),
	}
	clear(s.key)
	return l, nil
}

func dial(port int) (*os.File, error) {
	limit := time.Now().Add(dialLimit)
	for {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		err = syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
		if err == nil {
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
			syscall.SetNonblock(fd, true)
			return os.NewFile(uintptr(fd), "agent"), nil
		}
		syscall.Close(fd)
		if time.Now().After(limit) {
			return nil, errors.New("no agent answered within " + dialLimit.String() + ": " + err.Error())
		}
		time.Sleep(dialPause)
	}
}

func mac(key []byte, label string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(label))
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

func sealWith(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		fail(err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		fail(err.Error())
	}
	return aead
}

func nonceOf(n uint64) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[4:], n)
	return nonce
}

// Sends a frame. Blocks until the kernel has taken it. An error means that the connection to the agent is
// lost.
func (l *link) send(kind byte, id uint32, payload []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	text := make([]byte, 0, 5+len(payload))
	text = append(text, kind)
	text = binary.BigEndian.AppendUint32(text, id)
	text = append(text, payload...)
	l.buffer = append(l.buffer[:0], 0, 0, 0, 0)
	l.buffer = l.seal.Seal(l.buffer, nonceOf(l.sent), text, nil)
	binary.BigEndian.PutUint32(l.buffer, uint32(len(l.buffer)-4))
	l.sent++
	_, err := l.socket.Write(l.buffer)
	return err
}

type frame struct {
	kind    byte
	id      uint32
	payload []byte
}

func (l *link) receive() (frame, error) {
	var head [4]byte
	if _, err := io.ReadFull(l.socket, head[:]); err != nil {
		return frame{}, err
	}
	size := binary.BigEndian.Uint32(head[:])
	// Kind and id take 5 bytes, the tag of AES-GCM takes 16.
	if size < 5+16 || size > maxFrame {
		return frame{}, errors.New("frame of a wrong size")
	}
	sealed := make([]byte, size)
	if _, err := io.ReadFull(l.socket, sealed); err != nil {
		return frame{}, err
	}
	text, err := l.open.Open(sealed[:0], nonceOf(l.received), sealed, nil)
	if err != nil {
		return frame{}, err
	}
	l.received++
	return frame{text[0], binary.BigEndian.Uint32(text[1:5]), text[5:]}, nil
}
