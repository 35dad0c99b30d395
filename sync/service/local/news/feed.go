package news

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/people"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// atom is a feed of RFC 4287.
type atom struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Content string   `xml:"content"`
}

// Feed answers GET feed?word=... with the news of the person whose feed has this word. root is the address of the page.
func (s *Service) Feed(w http.ResponseWriter, r *http.Request, root string) error {
	var person *store.Person
	var all []Entry
	err := s.store.View(func(tx *store.Tx) error {
		found, err := s.find(tx, func(t *store.Told) string { return t.Feed }, r.URL.Query().Get("word"))
		person = found
		if err != nil || found == nil {
			return err
		}
		all, _, err = entries(tx, found, 0, tx.Now())
		return err
	})
	if err != nil {
		return err
	}
	if person == nil {
		return api.Refuse(http.StatusNotFound, "There is no such feed; its person has revoked it. A page of one's own "+
			"account makes another one.")
	}
	updated, newest := time.Unix(0, person.Told.Since).UTC(), uint64(0)
	if len(all) > 0 {
		updated, newest = all[0].At, all[0].Number
	}
	tag := `"` + strconv.FormatUint(newest, 10) + "-" + strconv.Itoa(len(all)) + person.Language + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, max-age=300")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	id := "urn:locsync:" + store.PersonID(s.store.Account, strconv.FormatInt(person.Told.Since, 10))
	title := words.Choose(person.Language, "").Say("locsync: news for %s", person.Name)
	feed := atom{ID: id, Title: title, Author: "locsync",
		Updated: updated.Format(time.RFC3339), Links: []atomLink{{"alternate", root}}}
	for _, e := range all {
		feed.Entries = append(feed.Entries, atomEntry{ID: id + ":" + strconv.FormatUint(e.Number, 10),
			Title: e.Title, Updated: e.At.Format(time.RFC3339), Link: atomLink{"alternate", root + e.Link}, Content: e.Text})
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	_, _ = w.Write(append([]byte(xml.Header), text...)) // the reader is gone when this fails
	return nil
}

// find is the person who has a word, by the digest that of returns; nil where there is none.
func (s *Service) find(tx *store.Tx, of func(t *store.Told) string, word string) (*store.Person, error) {
	known, err := store.OpenPeople(tx)
	if err != nil || word == "" {
		return nil, err
	}
	all, err := known.All()
	i := slices.IndexFunc(all, func(p *store.Person) bool { return of(&p.Told) == people.Digest(word) })
	if err != nil || i < 0 {
		return nil, err
	}
	return all[i], nil
}
