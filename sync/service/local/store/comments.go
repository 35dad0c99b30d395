package store

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Comment is what a person says about a key.
type Comment struct {
	By       string `json:"by"`
	At       int64  `json:"at"`
	Language string `json:"language"` // into which the person translates
	Text     string `json:"text"`
	Question bool   `json:"question,omitempty"` // to the developers
	Answered string `json:"answered,omitempty"` // the person for whom the question is answered
}

// Open reports whether it is a question that waits for an answer.
func (c Comment) Open() bool { return c.Question && c.Answered == "" }

// Comments are those of a row.
func (k *Keyspace) Comments(n []byte) ([]Comment, error) {
	b, err := k.language(inComments, "", false)
	if b == nil || err != nil {
		return nil, err
	}
	all, found, err := getRecord[[]Comment](b, string(n))
	if err != nil || !found {
		return nil, err
	}
	return *all, nil
}

// PutComments replaces the comments of a row.
func (k *Keyspace) PutComments(n []byte, all []Comment) error {
	b, err := k.language(inComments, "", true)
	if err != nil {
		return err
	}
	return putRecord(b, string(n), &all)
}

// EachQuestion calls do with the questions that wait for an answer, of rows that are not archived.
func (k *Keyspace) EachQuestion(do func(r *Row, c Comment) error) error {
	b, err := k.language(inComments, "", false)
	if b == nil || err != nil {
		return err
	}
	return b.ForEach(func(n, raw []byte) error {
		if !bytes.Contains(raw, []byte(`"question":true`)) {
			return nil
		}
		row, err := k.At(n)
		var all []Comment
		if err == nil {
			err = json.Unmarshal(raw, &all)
		}
		if row == nil || err != nil {
			return err
		}
		for _, c := range all {
			if c.Open() {
				err = errors.Join(err, do(row, c))
			}
		}
		return err
	})
}

// Suggested is the text that a person suggests in place of a confirmed one; nil where there is none.
func (k *Keyspace) Suggested(code string, n []byte) (*Translation, error) {
	return k.stored(inSuggestions, code, n)
}

// SetSuggested stores a suggestion; nil: it is decided.
func (k *Keyspace) SetSuggested(code string, n []byte, t *Translation) error {
	return k.putAside(inSuggestions, code, n, t)
}

// putAside stores a translation beside the one of a row, or takes it away.
func (k *Keyspace) putAside(kind, code string, n []byte, t *Translation) error {
	b, err := k.language(kind, code, t != nil)
	if b == nil || err != nil {
		return err
	}
	if t == nil {
		return b.Delete(n)
	}
	return b.Put(n, t.encode())
}
