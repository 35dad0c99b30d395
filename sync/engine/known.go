package engine

import (
	"strconv"

	"github.com/locsync/locsync/sync/catalog"
)

// kindKnown is a target file's history: for each name the last few texts that stood there without anybody having changed them for the
// service to hear of: what was there at first contact, what pulls wrote, what pushes delivered. A working tree that lies behind the branch, or
// an old commit that is checked out, holds such texts; they are never taken for somebody's change.
//
// Stored like any base, with "\x00" and a number behind the form: the youngest text of a name has the highest.
const kindKnown = "known"

// memorySpan is how many texts of one name are kept.
const memorySpan = 8

func known(n catalog.Name, i int) catalog.Name {
	return catalog.Name{Key: n.Key, Form: n.Form + "\x00" + strconv.Itoa(i)}
}

// learn adds a text to a history, forgetting the oldest when it is full.
func learn(history catalog.Marks, n catalog.Name, m catalog.Mark) {
	for i := range memorySpan {
		old, ok := history[known(n, i)]
		if !ok {
			history[known(n, i)] = m
			return
		}
		if old == m {
			return
		}
	}
	for i := 1; i < memorySpan; i++ {
		history[known(n, i-1)] = history[known(n, i)]
	}
	history[known(n, memorySpan-1)] = m
}

// knows reports whether a history holds a text.
func knows(history catalog.Marks, n catalog.Name, m catalog.Mark) bool {
	for i := range memorySpan {
		if old, ok := history[known(n, i)]; !ok {
			return false
		} else if old == m {
			return true
		}
	}
	return false
}

// holds reports whether a history holds a text under its name.
func holds(history catalog.Marks, u catalog.Unit) bool {
	return knows(history, u.Name, catalog.MarkOf(u.Text))
}

// unlearn forgets all texts of a name.
func unlearn(history catalog.Marks, n catalog.Name) {
	for i := range memorySpan {
		delete(history, known(n, i))
	}
}
