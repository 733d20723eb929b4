package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// The directories where programs put temporary files. What is in them before the first fresh command stays.
// The shim removes all other files before and after each fresh command.
type temporaryFiles struct {
	// Held while a fresh command runs, because the next fresh command removes its files.
	alone       sync.Mutex
	directories []string
	// For each directory, the names in it before the first fresh command. Nil: none has run yet.
	known map[string]map[string]bool
}

func newTemporaryFiles(temporary string) *temporaryFiles {
	if os.Getpid() != 1 {
		// The shim does not run in a container of its own, so these directories belong to the machine.
		return &temporaryFiles{}
	}
	return &temporaryFiles{directories: []string{"/tmp", "/var/tmp", "/dev/shm", temporary}}
}

// The first call records the files that exist. Each later call removes all other files.
func (t *temporaryFiles) clear() error {
	if t.known == nil {
		t.known = map[string]map[string]bool{}
		for _, directory := range t.directories {
			t.known[directory] = namesIn(directory)
		}
		return nil
	}
	for directory, known := range t.known {
		for name := range namesIn(directory) {
			if known[name] {
				continue
			}
			if err := removeAll(filepath.Join(directory, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// How long the report of a command's end waits, at most, for the removal of its files.
var removalLimit = 10 * time.Second

// Waits until the removal is done, but not longer than removalLimit: a volume may be slow, and a process that
// was left may create files all the time. Then the removal goes on after the report.
func waitFor(removal func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		removal()
	}()
	select {
	case <-done:
	case <-time.After(removalLimit):
	}
}

func namesIn(directory string) map[string]bool {
	names := map[string]bool{}
	if directory == "" {
		return names
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return names
	}
	for _, entry := range entries {
		names[entry.Name()] = true
	}
	return names
}

// Removes the path even if it contains directories that their owner may not search or change.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	filepath.WalkDir(path, func(inner string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			os.Chmod(inner, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// Replaces the directory with an empty one that all users of the Pod share.
func recreate(directory string) error {
	if err := removeAll(directory); err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return err
	}
	stat, err := os.Lstat(directory)
	if err == nil && !stat.IsDir() {
		err = syscall.ENOTDIR
	}
	return err
}
