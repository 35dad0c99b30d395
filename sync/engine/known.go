package engine

import (
	"strconv"

	"github.com/locsync/locsync/sync/catalog"
)

// kindKnown is a target file's history: for each name the last few texts that stood there without anybody having changed them for the
// service to hear of: what pulls wrote, what pushes delivered, what both sides had alike. A working tree that lies behind the branch, or
// an old commit that is checked out, holds such texts; they are never taken for somebody's change.
//
// Stored like any base, with "\x00" and a number behind the form: the youngest text of a name has the highest.
const kindKnown = "known"

// memorySpan is how many texts of one name are kept.
const memorySpan = 8

func known(n catalog.Name, i int) catalog.Name {
	return catalog.Name{Key: n.Key, Form: n.Form + "\x00" + strconv.Itoa(i)}
}

// learn makes a text the youngest of a history, forgetting the oldest when it is full.
func learn(history catalog.Marks, n catalog.Name, m catalog.Mark) {
	var texts []catalog.Mark
	newest := false
	for i := range memorySpan {
		if old, ok := history[known(n, i)]; ok {
			if newest = old == m; !newest {
				texts = append(texts, old)
			}
		}
	}
	if newest && len(texts) < memorySpan {
		return // the newest already, as when a delivery is remembered again
	}
	texts = append(texts, m)
	unlearn(history, n)
	for i, text := range texts[max(0, len(texts)-memorySpan):] {
		history[known(n, i)] = text
	}
}

// age is a text's place in a history, the oldest first; -1 when it is not there.
func age(history catalog.Marks, n catalog.Name, m catalog.Mark) int {
	for i := range memorySpan {
		if old, ok := history[known(n, i)]; !ok {
			break
		} else if old == m {
			return i
		}
	}
	return -1
}

// knows reports whether a history holds a text.
func knows(history catalog.Marks, n catalog.Name, m catalog.Mark) bool {
	return age(history, n, m) >= 0
}

// holds reports whether a history holds a text under its name.
func holds(history catalog.Marks, u catalog.Unit) bool {
	return knows(history, u.Name, catalog.MarkOf(u.Text))
}

// forget takes one text out of a history.
func forget(history catalog.Marks, n catalog.Name, m catalog.Mark) {
	if knows(history, n, m) {
		learn(history, n, m) // as the youngest, which has the last place
		delete(history, known(n, age(history, n, m)))
	}
}

// unlearn forgets all texts of a name.
func unlearn(history catalog.Marks, n catalog.Name) {
	for i := range memorySpan {
		delete(history, known(n, i))
	}
}
