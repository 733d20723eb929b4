package main

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// A payload as the agent writes it: numbers of four bytes, texts and lists after their lengths.
type wire []byte

func (w wire) number(n int) wire  { return binary.BigEndian.AppendUint32(w, uint32(n)) }
func (w wire) text(s string) wire { return append(w.number(len(s)), s...) }
func (w wire) list(texts ...string) wire {
	w = w.number(len(texts))
	for _, s := range texts {
		w = w.text(s)
	}
	return w
}

func beginning(flags int) wire { return wire{}.number(flags).text("/work").text("") }

func TestDecodeCommand(t *testing.T) {
	whole := wire{}.number(flagMakeExecutable|flagOwnDirectory|flagScript).text("/work").text("echo ä\n").
		list("/bin/sh", "-e").list("A=1", "EMPTY=")
	for name, c := range map[string]struct {
		payload wire
		want    command
		problem string
	}{
		"flags, a script, arguments and variables": {whole, command{
			id: 7, makeExecutable: true, ownDirectory: true, hasScript: true, cwd: "/work", script: "echo ä\n",
			argv: []string{"/bin/sh", "-e"}, env: []string{"A=1", "EMPTY="},
		}, ""},
		"only a program": {beginning(0).list("true").list(), command{
			id: 7, cwd: "/work", argv: []string{"true"}, env: []string{},
		}, ""},
		"a script without arguments before it": {beginning(flagScript).list().list(), command{
			id: 7, hasScript: true, cwd: "/work", argv: []string{}, env: []string{},
		}, ""},
		"neither a program nor a script":      {beginning(0).list().list(), command{}, "without words"},
		"an empty payload":                    {nil, command{}, "too early"},
		"a text longer than the payload":      {wire{}.number(0).number(1 << 30), command{}, "too early"},
		"a list longer than the payload":      {beginning(0).number(1<<32 - 1), command{}, "too early"},
		"a list that ends within an entry":    {beginning(0).number(2).text("sh").number(9), command{}, "too early"},
		"a payload without an environment":    {beginning(0).list("sh"), command{}, "too early"},
		"a payload that ends within a length": {beginning(0).list("sh")[:len(beginning(0))+2], command{}, "too early"},
		"an input, fresh directories and a folder": {beginning(flagInput | flagFresh).list("sh").list().list().list().text("{}").text("/work/got"), command{
			id: 7, cwd: "/work", argv: []string{"sh"}, env: []string{}, inputs: []string{}, outputs: []string{},
			hasInput: true, input: "{}", fresh: true, folder: "/work/got",
		}, ""},
		"an input that is cut": {beginning(flagInput).list("sh").list().list().list().number(9), command{}, "too early"},
		"further bytes of a newer agent are ignored": {append(beginning(0).list("sh").list().list().list().text("").text(""), "more"...), command{
			id: 7, cwd: "/work", argv: []string{"sh"}, env: []string{}, inputs: []string{}, outputs: []string{},
		}, ""},
		"paths that must exist, and processes that stay": {beginning(flagSpareOthers|flagSpareOwn).list("sh").list().list("in").list("out", "log"), command{
			id: 7, sparesOthers: true, sparesOwn: true, cwd: "/work", argv: []string{"sh"}, env: []string{},
			inputs: []string{"in"}, outputs: []string{"out", "log"},
		}, ""},
		"a list of paths that is cut":        {append(beginning(0).list("sh").list(), 0, 0), command{}, "too early"},
		"flags of a newer agent are ignored": {beginning(1 << 20).list("sh").list(), command{id: 7, cwd: "/work", argv: []string{"sh"}, env: []string{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decodeCommand(7, c.payload)
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("got %v, want an error about %q", err, c.problem)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func FuzzDecodeCommand(f *testing.F) {
	f.Add([]byte(beginning(flagScript).list("sh").list("A=1")))
	f.Add([]byte(beginning(0).number(1<<32 - 1)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		c, err := decodeCommand(1, payload)
		if err == nil && len(c.argv) == 0 && !c.hasScript {
			t.Fatal("nothing to run, and no error")
		}
	})
}

func TestDecodeHex(t *testing.T) {
	for text, want := range map[string][]byte{
		"00ff10": {0, 255, 16},
		"":       {},
		"0":      nil,
		"0G":     nil,
		"0F":     nil, // the agent writes small letters
		" 0":     nil,
	} {
		if got := decodeHex(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
