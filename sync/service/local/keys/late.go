package keys

import (
	"slices"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/service/local/store"
)

// late makes exports show what imports change only a while after it was accepted, as some services do. What is not yet
// shown is known in memory only: after a restart everything is.
type late struct {
	lag time.Duration

	mu      sync.Mutex
	changes map[lateText][]lateChange // the oldest first
}

// lateText is the source text of a key, or with a language its translation.
type lateText struct{ project, collection, index, language string }

// lateChange is what an export shows of a text until then. A key that is new has no texts.
type lateChange struct {
	until       int64 // in Unix nanoseconds
	texts       []store.Text
	translation *store.Translation
}

// replace notes that an import replaces a text.
func (l *late) replace(of lateText, before lateChange, now int64) {
	if l.lag <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes == nil {
		l.changes = make(map[lateText][]lateChange)
	}
	before.until, before.texts = now+int64(l.lag), slices.Clone(before.texts)
	l.changes[of] = append(l.changes[of], before)
}

// shown is what an export shows instead of a text; false where it shows the text.
func (l *late) shown(of lateText, now int64) (before lateChange, instead bool) {
	if l.lag <= 0 {
		return before, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left := slices.DeleteFunc(l.changes[of], func(c lateChange) bool { return c.until <= now })
	if len(left) == 0 {
		delete(l.changes, of)
		return before, false
	}
	l.changes[of] = left
	return left[0], true
}

// rows are those of an export as it shows them: without new ones, and with the source texts of before.
func (l *late) rows(rows []selected, project string, collections []string, now int64) (shown []selected) {
	if l.lag <= 0 {
		return rows
	}
	for _, r := range rows {
		of := lateText{project, collections[r.collection], string(store.IndexKey(r.Key, r.Plural)), ""}
		if before, instead := l.shown(of, now); instead {
			if len(before.texts) == 0 {
				continue
			}
			row := *r.Row
			row.Texts, r.Row = before.texts, &row
		}
		shown = append(shown, r)
	}
	return shown
}

// translation is that of a row as an export shows it.
func (l *late) translation(
	t *store.Translation, r selected, project string, collections []string, language string, now int64,
) *store.Translation {
	of := lateText{project, collections[r.collection], string(store.IndexKey(r.Key, r.Plural)), language}
	if before, instead := l.shown(of, now); instead {
		return before.translation
	}
	return t
}
