package ledger

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/text/catalog"
)

// A history holds for each name the last few texts that a file had without an edit that the service must hear of:
// what pulls wrote, what pushes delivered, what both sides had alike. A working tree that is behind the branch, or an
// old commit that is checked out, has such texts; they are never taken for an edit.
//
// It is stored like any marks, with "\x00" and a number behind the form: the youngest text of a name has the highest.

// historySpan is how many texts of one name are kept.
const historySpan = 8

// endings are those of forms, from the oldest text to the youngest.
const endings = "\x000\x001\x002\x003\x004\x005\x006\x007"

func nth(n catalog.Name, i int) catalog.Name {
	return catalog.Name{Key: n.Key, Form: n.Form + endings[2*i:2*i+2]}
}

// Learn makes a text the youngest of a history, forgetting the oldest when it is full.
func Learn(history catalog.Marks, n catalog.Name, m catalog.Mark) {
	texts := Texts(history, n)
	if len(texts) == 0 {
		history[nth(n, 0)] = m
		return
	}
	if texts[len(texts)-1] == m {
		return // the newest already, as when a delivery is remembered again
	}
	texts = slices.DeleteFunc(texts, func(old catalog.Mark) bool { return old == m })
	texts = append(texts, m)
	Unlearn(history, n)
	for i, text := range texts[max(0, len(texts)-historySpan):] {
		history[nth(n, i)] = text
	}
}

// LearnAll makes texts the youngest of a history, one after the other.
func LearnAll(history catalog.Marks, texts catalog.Catalog) {
	for _, u := range texts {
		Learn(history, u.Name, catalog.MarkOf(u.Text))
	}
}

// Inherit adds to a history the texts that keys have had under other names in another one, form by form.
func Inherit(history, from catalog.Marks, names map[string]string) {
	for n := range from {
		form, at, _ := strings.Cut(n.Form, "\x00")
		now, is := names[n.Key]
		if !is || at != "0" {
			continue
		}
		for _, m := range Texts(from, catalog.Name{Key: n.Key, Form: form}) {
			if to := (catalog.Name{Key: now, Form: form}); !Knows(history, to, m) {
				Learn(history, to, m)
			}
		}
	}
}

// Texts are those of a name, the oldest first.
func Texts(history catalog.Marks, n catalog.Name) (texts []catalog.Mark) {
	for i := range historySpan {
		m, ok := history[nth(n, i)]
		if !ok {
			break // they have no gaps
		}
		texts = append(texts, m)
	}
	return texts
}

// Age is a text's place in a history, the oldest first; -1 when it is not there.
func Age(history catalog.Marks, n catalog.Name, m catalog.Mark) int {
	for i := range historySpan {
		if old, ok := history[nth(n, i)]; !ok {
			break
		} else if old == m {
			return i
		}
	}
	return -1
}

// Knows reports whether a history holds a text.
func Knows(history catalog.Marks, n catalog.Name, m catalog.Mark) bool {
	return Age(history, n, m) >= 0
}

// Without are texts without those that a history holds; it takes texts over.
func Without(history catalog.Marks, texts catalog.Catalog) catalog.Catalog {
	return slices.DeleteFunc(texts, func(u catalog.Unit) bool { return Holds(history, u) })
}

// Holds reports whether a history holds a text under its name.
func Holds(history catalog.Marks, u catalog.Unit) bool {
	return len(history) > 0 && Knows(history, u.Name, catalog.MarkOf(u.Text))
}

// Forget takes one text out of a history.
func Forget(history catalog.Marks, n catalog.Name, m catalog.Mark) {
	if Knows(history, n, m) {
		Learn(history, n, m) // as the youngest, which comes last
		delete(history, nth(n, Age(history, n, m)))
	}
}

// Unlearn forgets all texts of a name.
func Unlearn(history catalog.Marks, n catalog.Name) {
	for i := range historySpan {
		delete(history, nth(n, i))
	}
}

// Has reports whether a history holds any text of a name.
func Has(history catalog.Marks, n catalog.Name) bool {
	_, is := history[nth(n, 0)]
	return is
}

// KeepSeen leaves what was seen of a name as it was before, unless the text that is seen now is the youngest of its
// history: one that was written and is not confirmed is found again.
func KeepSeen(seen, before, history catalog.Marks, n catalog.Name) {
	if texts := Texts(history, n); len(texts) > 0 && texts[len(texts)-1] == seen[n] {
		return
	}
	if old, was := before[n]; was {
		seen[n] = old
	} else {
		delete(seen, n)
	}
}

// Replacing are the texts that are the youngest of their history, and not the first.
func Replacing(history catalog.Marks, texts catalog.Catalog) catalog.Marks {
	marks := make(catalog.Marks)
	for _, u := range texts {
		past, mark := Texts(history, u.Name), catalog.MarkOf(u.Text)
		if len(past) > 1 && past[len(past)-1] == mark {
			marks[u.Name] = mark
		}
	}
	return marks
}

// Resembles reports whether a file can be the one that a history is of. A target file that is nowhere any more keeps
// its records: it may come back, or move. Another file counts as the same one where at least half of the texts that
// both have a name for were in the old file.
func Resembles(texts catalog.Catalog, history catalog.Marks) bool {
	shared, same := 0, 0
	for _, u := range texts {
		if Has(history, u.Name) {
			shared++
			if Holds(history, u) {
				same++
			}
		}
	}
	return shared > 0 && 2*same >= shared || len(texts) == 0
}
