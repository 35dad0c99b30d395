package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/state"
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

// kindContact is the texts of a target file at first contact: the repository's own, from before anything was remembered.
const kindContact = "contact"

// kindMet is the record of the languages whose files were looked at, with a digest of where files were looked for. A target file that has no
// history is met for the first time when its language was not looked at before, or elsewhere; else somebody has added it since.
const kindMet = "met"

func (p *project) whereabouts() string {
	sum := sha256.New()
	for _, f := range p.cfg.Files {
		fmt.Fprintf(sum, "%q", []string{f.Source, f.Format, f.Output, f.PathSeparator})
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// acquainted reports whether a language's files were looked at before.
func (p *project) acquainted(language string) (bool, error) {
	where, _, err := state.Get[string](p.State, p.stateName(), kindMet, language)
	return where == p.whereabouts(), err
}

// meet remembers that the files of all target languages were looked at.
func (p *project) meet(tx *state.Tx) error {
	for _, l := range p.cfg.Targets() {
		if err := state.PutTx(tx, p.stateName(), kindMet, l.Code, p.whereabouts()); err != nil {
			return err
		}
	}
	return nil
}
