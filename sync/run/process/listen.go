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
	var unknown *net.DNSError
	host, _, _ := net.SplitHostPort(address)
	later := errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL) ||
		errors.As(err, &unknown) && unknown.Name == host
	malformed, isMalformed := errors.AsType[*net.AddrError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		err = &inUse{address, err}
	case isMalformed:
		err = fmt.Errorf("%q is not an address with a port, such as 127.0.0.1:7430: %s", address, malformed.Err)
	default:
		err = fmt.Errorf("listen on %s: %w", address, err)
	}
	if later {
		return nil, err
	}
	return nil, &failure.UsageError{Err: err}
}

// inUse is an address that another program listens on.
type inUse struct {
	address string
	err     error
}

func (e *inUse) Error() string { return e.address + " is in use by another program" }
func (e *inUse) Unwrap() error { return e.err }
