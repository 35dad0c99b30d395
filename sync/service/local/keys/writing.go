package keys

import (
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
)

// Decided is the rule of a person who has seen what is stored: it is replaced, and its state may also fall.
const Decided store.Conflicts = "decided"

// Outcome is what became of a translation.
type Outcome uint8

const (
	Changed Outcome = iota // it is stored
	Same                   // the text was there; the state is the higher one, or the one decided
	Refused                // another text is there and stays, and this one is noted beside it
	Kept                   // another text is there and stays
)

// Put stores a translation of a row by a rule for conflicts. Every translation passes here, whether a file brings it or
// a person writes it: what is replaced becomes history, and what is decided waits no longer.
func Put(k *store.Keyspace, code string, n []byte, r *store.Row, is *store.Translation,
	rule store.Conflicts) (Outcome, error) {
	was, err := k.Translation(code, n)
	if err != nil {
		return Kept, err
	}
	outcome := Changed
	switch {
	case was == nil:
	case slices.Equal(was.Texts, is.Texts):
		outcome = Same
		if is.State == was.State || is.State < was.State && rule != Decided {
			return Same, k.SetOffered(code, n, nil)
		}
	case rule == store.ReportConflicts:
		return Refused, k.SetOffered(code, n, is)
	case rule == store.SkipConflicts:
		return Kept, nil
	}
	if err := k.Translate(code, n, r, was, is); err != nil {
		return Kept, err
	}
	return outcome, k.SetOffered(code, n, nil)
}
