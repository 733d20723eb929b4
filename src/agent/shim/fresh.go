package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Directories where programs put temporary files. What the image itself has there stays; everything else that a
// command leaves is removed before the next one.
type leftovers struct {
	// Held while a command runs, because the next one removes its files.
	alone       sync.Mutex
	directories []string
	// By directory: the names that it had before the first command. Nil: nothing has run yet.
	known map[string]map[string]bool
}

func newLeftovers(temporary string) *leftovers {
	if os.Getpid() != 1 {
		// Not a container: these directories belong to the machine.
		return &leftovers{}
	}
	return &leftovers{directories: []string{"/tmp", "/var/tmp", "/dev/shm", temporary}}
}

func (l *leftovers) clear() error {
	if l.known == nil {
		l.known = map[string]map[string]bool{}
		for _, directory := range l.directories {
			l.known[directory] = namesIn(directory)
		}
		return nil
	}
	for directory, known := range l.known {
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

// Also removes directories that their owner may not search or change.
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

// Makes an empty directory that all users of the Pod share.
func makeAnew(directory string) error {
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
