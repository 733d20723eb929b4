package main

import (
	"os"
	"syscall"
	"time"
)

// Handles signals. Only two have an effect: SIGTERM is passed on to the steps and marks what they report from
// now on, and our own signal wakes catchUp.
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

// A signal that we send to ourselves; by default it does nothing.
const ownSignal = syscall.SIGWINCH

// A signal that finds the channel full is lost, so ours is sent again. Tries are counted, because time also
// passes while the machine has stopped this process.
const (
	catchUpTries = 1000
	catchUpPause = 10 * time.Millisecond
)

// Returns when earlier signals are handled: of pending signals the kernel delivers the lowest first, and
// SIGTERM is lower than ours. Otherwise the end of a step that has just sent us SIGTERM would be reported
// without it.
func (k *keeper) catchUp() {
	heard := make(chan struct{})
	k.mu.Lock()
	k.catchingUp = append(k.catchingUp, heard)
	k.mu.Unlock()
	again := time.NewTicker(catchUpPause)
	defer again.Stop()
	for range catchUpTries {
		syscall.Kill(os.Getpid(), ownSignal)
		select {
		case <-heard:
			return
		case <-again.C:
		}
	}
}

func (k *keeper) caughtUp() {
	k.mu.Lock()
	for _, heard := range k.catchingUp {
		close(heard)
	}
	k.catchingUp = nil
	k.mu.Unlock()
}
