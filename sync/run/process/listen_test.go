package process

import (
	"errors"
	"net"
	"testing"

	"github.com/locsync/locsync/sync/failure"
)

// A port that another program has may be free at the next start; an address that cannot be one stays wrong.
func TestListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, wrong := range map[string]bool{
		taken.Addr().String(): false, "192.0.2.1:7420": false, "no-such-host.invalid:7420": false,
		"127.0.0.1": true, "127.0.0.1:99999": true, "127.0.0.1:no-such-port": true,
	} {
		var usage *failure.UsageError
		if _, err := Listen(address); err == nil || errors.As(err, &usage) != wrong {
			t.Errorf("%s: %v", address, err)
		}
	}
}
