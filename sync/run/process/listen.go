package process

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/locsync/locsync/sync/failure"
)

// Listen listens on an address. The error is one of use, unless the address can be free later: another program has its
// port, or this machine does not have the address yet, as while it starts.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	host, _, _ := net.SplitHostPort(address)
	unknown, isUnknown := errors.AsType[*net.DNSError](err)
	malformed, isMalformed := errors.AsType[*net.AddrError](err)
	notAnAddress := fmt.Sprintf("%q is not an address with a port, such as 127.0.0.1:7430", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &unserved{address + " is in use by another program", err}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, &unserved{address + " is not an address of this machine", err}
	case isUnknown && unknown.Name == host:
		return nil, &unserved{fmt.Sprintf("no machine is called %q (%s)", host, unknown.Err), err}
	case isUnknown: // the name of the port
		err = &unserved{notAnAddress + ": unknown port", err}
	case isMalformed:
		err = &unserved{notAnAddress + ": " + malformed.Err, err}
	case errors.Is(err, syscall.EACCES):
		err = &unserved{address + " is not for this user: ports below 1024 need a right of their own", err}
	}
	return nil, &failure.UsageError{Err: err}
}

// unserved is an address that cannot be listened on.
type unserved struct {
	said string
	err  error
}

func (e *unserved) Error() string { return e.said }
func (e *unserved) Unwrap() error { return e.err }
