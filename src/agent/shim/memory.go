package main

import (
	"os"
	"strconv"
	"strings"
)

// How often the kernel killed a process of this container for lack of memory; -1 if the number cannot be
// read.
func outOfMemoryKills() int {
	for _, path := range memoryFiles() {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			if value, found := strings.CutPrefix(line, "oom_kill "); found {
				if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
					return n
				}
			}
		}
	}
	return -1
}

// The files of cgroup v2 and v1 that may have the number, those of this process first.
func memoryFiles() []string {
	files := []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return files
	}
	var own []string
	for _, line := range strings.Split(string(text), "\n") {
		parts := strings.SplitN(line, ":", 3)
		switch {
		case len(parts) != 3:
		case parts[1] == "":
			own = append(own, "/sys/fs/cgroup"+parts[2]+"/memory.events")
		case parts[1] == "memory":
			own = append(own, "/sys/fs/cgroup/memory"+parts[2]+"/memory.oom_control")
		}
	}
	return append(own, files...)
}
