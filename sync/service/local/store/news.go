package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// What people who translate are told of.
const (
	NewsTexts      = "texts"      // source texts are new or have changed
	NewsQuestion   = "question"   // to the developers
	NewsAnswer     = "answer"     // of one
	NewsRejection  = "rejection"  // of a translation
	NewsSuggestion = "suggestion" // in place of a confirmed translation
)

// mostNews is how many are kept: the newest.
const mostNews = 5000

// News is something that happened to keys of a project. The bucket news has them for each account, by number.
type News struct {
	At         int64    `json:"at"`
	Kind       string   `json:"kind"`
	By         string   `json:"by,omitempty"` // a person
	Project    string   `json:"project"`
	Collection string   `json:"collection"`
	Language   string   `json:"language,omitempty"` // empty: all
	Row        uint64   `json:"row,omitempty"`
	Key        string   `json:"key,omitempty"`
	Text       string   `json:"text,omitempty"` // the reason, question or suggestion
	New        int      `json:"new,omitempty"`  // source texts
	Changed    int      `json:"changed,omitempty"`
	Keys       []string `json:"keys,omitempty"` // some of these

	Number uint64 `json:"-"` // later ones have higher numbers
}

// PutNews stores one, in the transaction in which it happens.
func PutNews(tx *Tx, one News) error {
	b, err := tx.bucket(bucketNews).CreateBucketIfNotExists([]byte(tx.Account()))
	if err != nil {
		return err
	}
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	if err := b.Delete(number(n - min(n, mostNews))); err != nil {
		return err
	}
	one.At = tx.Now()
	return putRecord(b, string(number(n)), &one)
}

// EachNews calls do with what happened, the newest first, while it wants more.
func EachNews(tx *Tx, do func(one *News) (more bool)) error {
	b := tx.bucket(bucketNews).Bucket([]byte(tx.Account()))
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for n, raw := c.Last(); n != nil; n, raw = c.Prev() {
		one := &News{Number: binary.BigEndian.Uint64(n)}
		if err := json.Unmarshal(raw, one); err != nil {
			return fmt.Errorf("news %d: %w", one.Number, err)
		}
		if !do(one) {
			return nil
		}
	}
	return nil
}

// Told is how a person is told of news.
type Told struct {
	Feed  string `json:"feed,omitempty"`  // digest of the word in the address of the feed; empty: there is none
	Since int64  `json:"since,omitempty"` // when it was made

	Address string `json:"address,omitempty"` // that the person has confirmed; mail goes there
	Off     bool   `json:"off,omitempty"`     // no mail is wanted
	Stop    string `json:"stop,omitempty"`    // the word in each mail by which mails are ended
	Until   int64  `json:"until,omitempty"`   // what happened until then was mailed
	Trying  int64  `json:"trying,omitempty"`  // until when a mail tells that may have been sent
	Wrong   string `json:"wrong,omitempty"`   // why the last mail was refused

	Asked  string `json:"asked,omitempty"` // an address that is not confirmed yet
	Word   string `json:"word,omitempty"`  // digest of the word in the mail that asks
	Asking int64  `json:"asking,omitempty"`
	Asks   int    `json:"asks,omitempty"` // mails that asked since one was answered
}
