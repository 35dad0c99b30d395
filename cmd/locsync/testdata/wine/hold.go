//go:build windows

// Command hold opens a file so that no other program can, until its input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

func main() {
	name, err := syscall.UTF16PtrFromString(os.Args[1])
	if err != nil {
		panic(err)
	}
	const alone = 0
	file, err := syscall.CreateFile(name, syscall.GENERIC_READ, alone, nil, syscall.OPEN_EXISTING, 0, 0)
	if err != nil {
		panic(err)
	}
	defer syscall.CloseHandle(file)
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
