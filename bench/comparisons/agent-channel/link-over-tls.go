// The shim's link as it would be over TLS 1.3. It replaces src/agent/shim/link.go in the measurement of
// docs/adr/0044.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The agent expects every frame to end in a tag. TLS protects its records itself, so this link sends zeros as
// the tag.
const (
	maxFrame = 16 << 20
	tagBytes = 16
)

// pin is read before readStart clears the environment.
var pin = strings.Clone(os.Getenv("MEASURE_PIN"))

type link struct {
	socket  *tls.Conn
	sending sync.Mutex
	buffer  []byte
}

func connect(s start) (*link, error) {
	want, err := hex.DecodeString(pin)
	if err != nil || len(want) != sha256.Size {
		return nil, errors.New("MEASURE_PIN is not a SHA-256")
	}
	socket, err := dial(s.port)
	if err != nil {
		return nil, err
	}
	secured := tls.Client(socket, &tls.Config{
		MinVersion:             tls.VersionTLS13,
		CurvePreferences:       []tls.CurveID{tls.X25519},
		SessionTicketsDisabled: true,
		// The pin takes the place of a chain of trust.
		InsecureSkipVerify: true,
		VerifyPeerCertificate: func(certificates [][]byte, _ [][]*x509.Certificate) error {
			if len(certificates) == 0 {
				return errors.New("no certificate")
			}
			if sum := sha256.Sum256(certificates[0]); !bytes.Equal(sum[:], want) {
				return errors.New("the program that listens on the port is not the agent")
			}
			return nil
		},
	})
	if err := secured.Handshake(); err != nil {
		return nil, err
	}
	// The container proves that it has the key: it sends an HMAC of keying material that only the two ends of
	// this connection know.
	state := secured.ConnectionState()
	exported, err := state.ExportKeyingMaterial("EXPERIMENTAL millrace shim", []byte(s.container), 32)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, s.key)
	h.Write(exported)
	hello := append([]byte{byte(len(s.container))}, s.container...)
	if _, err := secured.Write(h.Sum(hello)); err != nil {
		return nil, err
	}
	clear(s.key)
	return &link{socket: secured}, nil
}

func dial(port int) (net.Conn, error) {
	limit := time.Now().Add(dialLimit)
	for {
		socket, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil || time.Now().After(limit) {
			return socket, err
		}
		time.Sleep(dialPause)
	}
}

func (l *link) send(kind byte, id uint32, payload []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.buffer = binary.BigEndian.AppendUint32(l.buffer[:0], uint32(5+len(payload)+tagBytes))
	l.buffer = append(l.buffer, kind)
	l.buffer = binary.BigEndian.AppendUint32(l.buffer, id)
	l.buffer = append(l.buffer, payload...)
	l.buffer = append(l.buffer, make([]byte, tagBytes)...)
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
	if size < 5+tagBytes || size > maxFrame {
		return frame{}, errors.New("frame of a wrong size")
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(l.socket, text); err != nil {
		return frame{}, err
	}
	return frame{text[0], binary.BigEndian.Uint32(text[1:5]), text[5 : size-tagBytes]}, nil
}
