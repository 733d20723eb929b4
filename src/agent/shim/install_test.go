package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestInstallCopiesTheWholeProgram(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	folder := t.TempDir()
	// An earlier copy that was interrupted.
	if err := os.WriteFile(filepath.Join(folder, "millrace-shim.part"), bytes.Repeat([]byte("x"), 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := install(folder); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(folder, "millrace-shim"))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes of %d (%v)", len(got), len(want), err)
		}
		stat, err := os.Stat(filepath.Join(folder, "millrace-shim"))
		if err != nil || stat.Mode().Perm() != 0o755 {
			t.Fatalf("mode %v (%v)", stat.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Fatalf("%d files are left", len(entries))
	}
}

func TestInstallReturnsAnErrorWithoutItsFolder(t *testing.T) {
	if err := install(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Fatal("no error")
	}
}
