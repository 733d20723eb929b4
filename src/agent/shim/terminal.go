package main

import (
	"os"
	"syscall"
	"unsafe"
)

// Requests of ioctl(2), the same on amd64 and arm64.
const (
	ioctlUnlockTerminal = 0x40045431
	ioctlOpenOtherSide  = 0x5441
)

// Opens a pseudo terminal. Returns the shim's side, and the file descriptor of the side that a process gets.
// The kernel opens the side of the process itself, so /dev/pts need not be mounted where it usually is.
func openTerminal() (*os.File, int, error) {
	flags := syscall.O_RDWR | syscall.O_NOCTTY | syscall.O_CLOEXEC
	fd, err := syscall.Open("/dev/ptmx", flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, &os.PathError{Op: "open", Path: "/dev/ptmx", Err: err}
	}
	var unlocked int32
	if _, err := ioctl(fd, ioctlUnlockTerminal, uintptr(unsafe.Pointer(&unlocked))); err != nil {
		syscall.Close(fd)
		return nil, 0, err
	}
	side, err := ioctl(fd, ioctlOpenOtherSide, uintptr(flags))
	if err != nil {
		syscall.Close(fd)
		return nil, 0, err
	}
	return os.NewFile(uintptr(fd), "terminal"), int(side), nil
}

func ioctl(fd int, request, argument uintptr) (uintptr, error) {
	result, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, argument)
	if errno != 0 {
		return 0, os.NewSyscallError("ioctl", errno)
	}
	return result, nil
}

// Sets the size of the terminal. The kernel then signals the terminal's foreground processes.
func resize(terminal *os.File, columns, rows int) {
	size := struct{ rows, columns, width, height uint16 }{rows: uint16(rows), columns: uint16(columns)}
	raw, err := terminal.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	})
}
