package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Whether steps see a variable of the container. They do not see Millrace's own variables, nor those that the
// kubelet adds for the Service of the API server, which would only mislead a step.
func isForSteps(entry string) bool {
	return !strings.HasPrefix(entry, "MILLRACE_") && !strings.HasPrefix(entry, "KUBERNETES_")
}

type environment struct {
	names  []string
	values map[string]string
}

func (e *environment) set(name, value string) {
	if _, known := e.values[name]; !known {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

func (e *environment) add(entries []string) {
	for _, entry := range entries {
		if name, value, found := strings.Cut(entry, "="); found && name != "" {
			e.set(name, value)
		}
	}
}

func (e *environment) list() []string {
	entries := make([]string, 0, len(e.names))
	for _, name := range e.names {
		entries = append(entries, name+"="+e.values[name])
	}
	return entries
}

// The environment of a step: the variables of the image, overridden by the step's own, and a setting that
// lets git work in the directory that the users of the Pod share. If the step has no writable home, its home
// is in the private directory.
func stepEnvironment(inherited, own []string, privateDirectory string) *environment {
	e := &environment{values: map[string]string{}}
	e.add(inherited)
	e.add(own)
	if e.values["PATH"] == "" {
		e.set("PATH", defaultPath)
	}
	if home := e.values["HOME"]; home == "" || !isWritable(home) {
		home = privateDirectory + "/home"
		os.Mkdir(home, 0o700)
		e.set("HOME", home)
	}
	n, err := strconv.Atoi(e.values["GIT_CONFIG_COUNT"])
	if err != nil || n < 0 {
		n = 0
	}
	e.set("GIT_CONFIG_COUNT", strconv.Itoa(n+1))
	e.set("GIT_CONFIG_KEY_"+strconv.Itoa(n), "safe.directory")
	e.set("GIT_CONFIG_VALUE_"+strconv.Itoa(n), "*")
	return e
}

func isWritable(directory string) bool {
	const wantsWriteAndSearch = 3 // W_OK and X_OK of access(2)
	stat, err := os.Stat(directory)
	return err == nil && stat.IsDir() && syscall.Access(directory, wantsWriteAndSearch) == nil
}

// The first directory in which the shim can create private directories, beginning with $TMPDIR of the image.
func temporaryRoot(ofImage, cwd string) string {
	for _, directory := range []string{ofImage, "/tmp", "/var/tmp", "/dev/shm", cwd} {
		if directory != "" && isWritable(directory) {
			return directory
		}
	}
	return "/tmp"
}

// Finds the program as a shell would, with the PATH and the directory of the step.
func findProgram(name, path, cwd string) (string, error) {
	if strings.Contains(name, "/") {
		if strings.HasPrefix(name, "/") {
			return name, nil
		}
		return cwd + "/" + name, nil
	}
	denied := false
	for _, directory := range strings.Split(path, ":") {
		if directory == "" {
			directory = cwd
		}
		candidate := directory + "/" + name
		if stat, err := os.Stat(candidate); err == nil && !stat.IsDir() {
			const wantsExecute = 1 // X_OK of access(2)
			if syscall.Access(candidate, wantsExecute) == nil {
				return candidate, nil
			}
			denied = true
		}
	}
	if denied {
		return "", syscall.EACCES
	}
	return "", syscall.ENOENT
}
