package main

import (
	"os"
	"syscall"
	"time"
)

// Handles signals. Only two have an effect: SIGTERM goes to all commands and marks the ends that the shim
// reports from now on, and the shim's own signal wakes catchUp.
func (k *keeper) handleSignals(signals <-chan os.Signal) {
	for s := range signals {
		if s == ownSignal {
			k.caughtUp()
		}
		if s != syscall.SIGTERM {
			continue
		}
		k.terminated.Store(true)
		k.mu.Lock()
		for pid := range k.running {
			syscall.Kill(-pid, syscall.SIGTERM)
		}
		k.mu.Unlock()
	}
}

// A signal that the shim sends to itself. Its default action is to do nothing.
const ownSignal = syscall.SIGWINCH

// A signal is lost if the channel is full, so catchUp sends its signal several times. It counts the tries
// instead of the time, because time also passes while the machine has stopped this process.
const (
	catchUpTries = 1000
	catchUpPause = 10 * time.Millisecond
)

// Returns when all signals that were sent before the call are handled, or after catchUpTries tries. Of
// pending signals, the kernel delivers the one with the lowest number first, and the number of SIGTERM is
// lower than that of ownSignal. Without this wait, the shim would not mark the end of a step that has just
// sent SIGTERM to the shim.
func (k *keeper) catchUp() {
	handled := make(chan struct{})
	k.mu.Lock()
	k.catchingUp = append(k.catchingUp, handled)
	k.mu.Unlock()
	again := time.NewTicker(catchUpPause)
	defer again.Stop()
	for range catchUpTries {
		syscall.Kill(os.Getpid(), ownSignal)
		select {
		case <-handled:
			return
		case <-again.C:
		}
	}
}

func (k *keeper) caughtUp() {
	k.mu.Lock()
	for _, handled := range k.catchingUp {
		close(handled)
	}
	k.catchingUp = nil
	k.mu.Unlock()
}
