package failure

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// requested is how a request fails of which the network gives a cause.
func requested(op string, cause error) error {
	dialed := &net.OpError{Op: "dial", Net: "tcp", Err: cause}
	posted := &url.Error{Op: "Post", URL: "http://l10n.test/api/import?collection=main", Err: dialed}
	return &service.Error{Op: op, Err: &service.UnreachableError{Address: "http://l10n.test", Err: posted}}
}

var refused = os.NewSyscallError("connect", syscall.ECONNREFUSED)

func TestText(t *testing.T) {
	broken := errors.New("project \"b\": the disk is full")
	push := fmt.Errorf("push %q: import into %q: %w", "app", "main", requested("start import", refused))
	pull := fmt.Errorf("pull %q: %w", "app", requested("start export", refused))
	forbidden := &service.Error{Op: "start export", Account: "me", Status: http.StatusForbidden, Detail: "read only"}
	unavailable := &service.Error{Op: "start import", Status: http.StatusServiceUnavailable, Detail: "busy"}
	const said = "cannot reach the translation service at http://l10n.test (connection refused)"
	for _, c := range []struct {
		err  error
		want string
	}{
		{broken, broken.Error()},
		{push, said},
		{errors.Join(push, pull), said},
		{errors.Join(push, broken, pull), said + "\n" + broken.Error()},
		{fmt.Errorf("%w (%w)", broken, errors.New("twice")), broken.Error() + " (twice)"},
		{fmt.Errorf("both: %w", errors.Join(broken, push)), "both: " + broken.Error() + "\n" + push.Error()},
		{fmt.Errorf("pull %q: %w; or name another", "app", forbidden), `read only (403 on start export; ` +
			`account "me" at the translation service); locsync project list names the projects that the account has; ` +
			"its API key must be allowed to do this; or name another"},
		{errors.Join(fmt.Errorf("push %q: import into %q: %w", "app", "main", unavailable), fmt.Errorf("pull %q: %w", "app",
			&service.Error{Op: "start export", Status: http.StatusServiceUnavailable, Detail: "busy"})),
			"the translation service is not available (503 Service Unavailable: busy)"},
		{&service.Error{Op: "start import", Status: http.StatusInternalServerError, RequestID: "r1"},
			"the translation service fails to start import (500 Internal Server Error (request r1))"},
		{&service.Error{Op: "start import", Status: http.StatusTooManyRequests},
			"the translation service asks for fewer requests (429 Too Many Requests)"},
		{fmt.Errorf("pull %q: %w", "app", &service.Error{Op: "start export", Status: 503, Asked: 90 * time.Second}),
			"the translation service is not available (503 Service Unavailable), and asks to wait for 1m30s"},
		{fmt.Errorf("pull %q: export of %q: %w; ask again", "app", "main", Usage(config.Problem{File: "locsync.toml", Line: 3,
			Key: "project.id", Message: "the service has no such project"})),
			"locsync.toml:3: project.id: the service has no such project; ask again"},
		{requested("start import", &net.DNSError{Name: "l10n.test", IsNotFound: true}),
			"cannot find the host l10n.test of the translation service"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("%v\nis said as %q,\nnot %q", c.err, got, c.want)
		}
	}
	if f := Of(push); f.Error != said || f.ErrorCode != report.FailedUnreachable {
		t.Errorf("%+v", f)
	}
}

// What a file's system call says is no failure of the network.
func TestCodeOfFiles(t *testing.T) {
	missing := &os.PathError{Op: "lstat", Path: "locsync.toml", Err: syscall.ENOENT}
	for _, c := range []struct {
		err  error
		want string
	}{
		{Usage(fmt.Errorf("read configuration: %w", missing)), report.FailedConfig},
		{fmt.Errorf("write: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), report.FailedInternal},
		{&net.OpError{Op: "dial", Err: refused}, report.FailedUnreachable},
		{&net.DNSError{Name: "l10n.test", IsNotFound: true}, report.FailedUnreachable},
	} {
		if got := Code(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
