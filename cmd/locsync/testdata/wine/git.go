//go:build windows

// Command git is git.exe under Wine: it has the git of this machine do the work, through the address in GIT_AT.
package main

import (
	"encoding/gob"
	"io"
	"net"
	"os"
	"syscall"
)

// Call is how git is called, Reply a piece of what it prints, or its exit code.
type (
	Call struct {
		Dir       string
		Args, Env []string
	}
	Reply struct {
		Data     []byte
		Err, End bool
		Code     int
	}
)

func main() {
	conn, err := net.Dial("tcp", os.Getenv("GIT_AT"))
	if err != nil {
		panic(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	calls := gob.NewEncoder(conn)
	if err := calls.Encode(Call{dir, os.Args[1:], os.Environ()}); err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(input{calls}, stdin(os.Stdin.Fd()))
		_ = calls.Encode([]byte{}) // its end
	}()
	for replies := gob.NewDecoder(conn); ; {
		var r Reply
		if err := replies.Decode(&r); err != nil {
			panic(err)
		}
		out := os.Stdout
		if r.Err {
			out = os.Stderr
		}
		_, _ = out.Write(r.Data)
		if r.End {
			os.Exit(r.Code)
		}
	}
}

// stdin is standard input, read at once: of what Wine says of a pipe, os concludes that its reads may be waited for.
type stdin syscall.Handle

func (in stdin) Read(data []byte) (int, error) {
	n, err := syscall.Read(syscall.Handle(in), data)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// input sends what git reads.
type input struct{ calls *gob.Encoder }

func (i input) Write(data []byte) (int, error) { return len(data), i.calls.Encode(data) }
