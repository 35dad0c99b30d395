// Package ref reads and moves the references of a repository: as files, or through the git program where a repository
// keeps them otherwise (reftable). A reference moves only from the value that was just compared.
package ref

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
)

// Errors that callers branch on.
var (
	ErrMoved       = errors.New("the branch moved")
	ErrBusy        = errors.New("git is busy in the repository")
	ErrUnsupported = errors.New("not supported")
)

// Store is the references of one repository.
type Store interface {
	// Read gives a value; false when there is none. Symbolic references are followed.
	Read(name string) (object.Name, bool, error)
	// ReadOnce gives a value, or the name that a symbolic reference holds.
	ReadOnce(name string) (h object.Name, symbolic string, ok bool, err error)
	// List gives all references below a prefix that ends in a slash.
	List(prefix string) (map[string]object.Name, error)
	// Guard takes the lock among our own processes.
	Guard(ctx context.Context) (release func(), err error)
	// SwapGuarded moves a reference from old to another value, for a caller that holds the guard; a zero old means that it
	// must not exist. The commit must be in the repository. Errors: *Moved, *Clash, ErrBusy when its lock is held.
	SwapGuarded(ctx context.Context, name string, old, to object.Name, why string) error
	// Remove deletes a reference that has the value old.
	Remove(ctx context.Context, name string, old object.Name) error
	// Head is what HEAD of a git folder names: a reference, or a commit.
	Head(gitDir string) (symbolic string, h object.Name, err error)
}

// Swap is SwapGuarded for a caller that does not hold the guard.
func Swap(ctx context.Context, s Store, name string, old, to object.Name, why string) error {
	release, err := s.Guard(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.SwapGuarded(ctx, name, old, to, why)
}

// Moved is a reference that had another value than the one expected.
type Moved struct {
	Name       string
	Want, Have object.Name
}

func (e *Moved) Error() string {
	show := func(h object.Name) string {
		if h.IsZero() {
			return "nothing"
		}
		return h.String()[:12]
	}
	return fmt.Sprintf("%s is at %s, not at %s", e.Name, show(e.Have), show(e.Want))
}

func (e *Moved) Is(target error) bool { return target == ErrMoved }

// Clash is a branch that would have to be a folder of another one, or the other way round.
type Clash struct{ Name, Other string }

func (e *Clash) Error() string {
	return fmt.Sprintf("%s cannot exist beside %s; choose another branch name", e.Name, e.Other)
}

// who is what stands in the log of a reference beside a move.
const who, email = "locsync", "locsync@localhost"

// logLine is what a move writes there behind both values; why is in one line.
func logLine(why string, when time.Time) string {
	return fmt.Sprintf("%s <%s> %d %s\t%s\n", who, email, when.Unix(), when.Format("-0700"), oneLine(why))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// CheckName applies git-check-ref-format(1) to a full name.
func CheckName(name string) error {
	bad := strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") ||
		!strings.HasPrefix(name, "refs/") ||
		strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f || strings.ContainsRune(" ~^:?*[\\", c) })
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return fmt.Errorf("%q is no valid reference name (git check-ref-format says why)", name)
	}
	return nil
}

// RuleForLogs is what core.logAllRefUpdates makes of a repository.
func RuleForLogs(v string, set, bare bool) string {
	switch v = strings.ToLower(v); {
	case v == "always":
		return v
	case v == "" && !bare, v != "" && set:
		return "true"
	}
	return "false"
}

func symbolicError(name, to string) error {
	return fmt.Errorf("%s is a symbolic reference to %s: moving it is %w; name the other branch", name, to, ErrUnsupported)
}
