package push

import (
	"fmt"
	"slices"
)

// decidable is a conflict as people name it.
type Decidable struct{ Path, Language, Key string }

func (d Decidable) String() string { return fmt.Sprintf("%q (%s) in %s", d.Key, d.Language, d.Path) }

// decides reports whether a conflict is among those that are meant.
func (o Options) decides(d Decidable) bool {
	for _, choice := range []struct {
		of   []string
		this string
	}{{o.Keys, d.Key}, {o.Languages, d.Language}, {o.Files, d.Path}} {
		if len(choice.of) > 0 && !slices.Contains(choice.of, choice.this) {
			return false
		}
	}
	return true
}
