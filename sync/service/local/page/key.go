package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// mostComments is how many comments a key has.
const mostComments = 100

// at reads one key of the scope.
func (o *opened) at(at position) (item, error) {
	gone := api.Refuse(http.StatusNotFound, "This key is not here any more. A push has taken it out; where the "+
		"service archives keys, the list of the archived has it.")
	if !slices.Contains(store.CollectionNames(o.tx, o.project.ID), at.Collection) {
		return item{}, gone
	}
	k, err := o.keyspace(at.Collection)
	if err != nil || k == nil {
		return item{}, cmp.Or(err, gone)
	}
	row, err := k.At(store.Number(at.Row))
	if err != nil || row == nil {
		return item{}, cmp.Or(err, gone)
	}
	return o.item(at.Collection, k, store.Number(at.Row), row)
}

// written are the texts of a form's fields, those that are empty left out. Browsers send line ends as CR LF, whatever
// there was; a text has those of its source.
func written(r *http.Request, it item) []store.Text {
	texts := []store.Text{}
	for _, form := range it.forms() {
		text := strings.ReplaceAll(r.PostFormValue("text-"+form), "\r\n", "\n")
		if strings.Contains(it.sourceOf(form), "\r\n") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if text != "" {
			texts = append(texts, store.Text{Form: form, Value: strings.ToValidUTF8(text, "\uFFFD")})
		}
	}
	return texts
}

// put stores a translation, notes it in the project's memory where it is confirmed, and tells of it.
func (o *opened) put(it item, is *store.Translation, tell func(project string, complete bool)) error {
	put := it.storable(is)
	if _, err := keys.Put(it.k, o.Language, it.n(), it.stored, &put, keys.Decided); err != nil {
		return err
	}
	if err := it.k.Save(); err != nil {
		return err
	}
	if is.State != store.Draft {
		if err := o.remember(it, &put); err != nil {
			return err
		}
	}
	if (is.Rejected != store.Rejection{}) && (it.Is == nil || it.Is.Rejected != is.Rejected) {
		if err := o.tell(it, store.NewsRejection, is.Rejected.By, is.Rejected.Reason); err != nil {
			return err
		}
	}
	complete := is.State == store.Final
	if complete {
		p, err := o.progress()
		if err != nil {
			return err
		}
		complete = p.Final == p.Keys
	}
	o.tx.OnCommit(func() { tell(o.project.ID, complete) })
	return store.NotifyIn(o.tx, wire.CallbackProjectStatus, o.project.ID)
}

// storable is a translation with the texts that the store has of it: of a message that was taken apart, the message.
func (it item) storable(is *store.Translation) store.Translation {
	put := *is
	if it.message != nil {
		put.Texts = it.message.Stored(is.Texts)
	}
	return put
}

// suggest stores a text beside the one that is confirmed.
func (o *opened) suggest(it item, is *store.Translation) error {
	put := it.storable(is)
	if err := it.k.SetSuggested(o.Language, it.n(), &put); err != nil {
		return err
	}
	return o.tell(it, store.NewsSuggestion, is.By, is.Texts[0].Value)
}

// tell has people told of what happened to a key.
func (o *opened) tell(it item, kind, by, text string) error {
	return store.PutNews(o.tx, store.News{Kind: kind, By: by, Project: o.project.ID, Collection: it.At.Collection,
		Language: o.Language, Row: it.At.Row, Key: it.Row.Key, Text: text})
}

// engines are those that translate into the language: the one that is set for it, or else all that the service has.
func (o *opened) engines(all *machine.Engines) []machine.Engine {
	if set := o.project.EngineOf(o.Language); set != "" {
		one, known := all.Find(set)
		if !known { // pseudo-translation suggests nothing
			return nil
		}
		return []machine.Engine{one}
	}
	return all.All()
}
