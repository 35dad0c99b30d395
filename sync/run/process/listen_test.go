package process

import (
	"errors"
	"net"
	"strings"
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
	const wants = "is not an address with a port, such as 127.0.0.1:7430: "
	for address, want := range map[string]struct {
		said  string
		wrong bool
	}{
		taken.Addr().String():      {taken.Addr().String() + " is in use by another program", false},
		"192.0.2.1:7420":           {"192.0.2.1:7420 is not an address of this machine", false},
		"no-such-host.invalid:742": {`no machine is called "no-such-host.invalid" (`, false},
		"127.0.0.1":                {`"127.0.0.1" ` + wants + "missing port", true},
		"127.0.0.1:99999":          {`"127.0.0.1:99999" ` + wants + "invalid port", true},
		"127.0.0.1:no-such-port":   {`"127.0.0.1:no-such-port" ` + wants + "unknown port", true},
	} {
		var usage *failure.UsageError
		_, err := Listen(address)
		if err == nil || errors.As(err, &usage) != want.wrong || !strings.HasPrefix(err.Error(), want.said) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
