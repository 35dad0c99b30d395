// Package ref reads and moves the references of a repository. A reference moves only from the value that was just
// compared.
package ref

import (
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Errors that callers branch on.
var (
	ErrMoved       = errors.New("the branch moved")
	ErrBusy        = errors.New("git is busy in the repository")
	ErrUnsupported = errors.New("not supported")
)

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
