package keys

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
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

// Refusal says what is in a key's texts that the format of its source file cannot hold; "" where it holds all. Such a
// text is never stored: no export in that format could have it.
func Refusal(key string, source wire.Format, texts []store.Text) string {
	format, _ := formats.Named(string(source))
	if format.Grammar == nil {
		return ""
	}
	for _, t := range texts {
		if err := format.Holds(t.Value); err != nil {
			return fmt.Sprintf("key %q: %v", key, err)
		}
	}
	return ""
}

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
		decided := rule == Decided && (is.Rejected != was.Rejected || !slices.Equal(is.Source, was.Source))
		if is.State == was.State && !decided || is.State < was.State && rule != Decided {
			return Same, settle(k, code, n, rule)
		}
	case rule == store.ReportConflicts:
		return Refused, k.SetOffered(code, n, is)
	case rule == store.SkipConflicts:
		return Kept, nil
	}
	if err := k.Translate(code, n, r, was, is); err != nil {
		return Kept, err
	}
	return outcome, settle(k, code, n, rule)
}

// settle ends what waits beside a translation that was put: what an import offered, and, where a person has decided,
// what another one suggests.
func settle(k *store.Keyspace, code string, n []byte, rule store.Conflicts) error {
	if rule == Decided {
		if err := k.SetSuggested(code, n, nil); err != nil {
			return err
		}
	}
	return k.SetOffered(code, n, nil)
}
