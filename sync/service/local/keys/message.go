package keys

import (
	"context"
	"slices"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/text/plural"
)

// Message is the plural argument that all of a key's text is: its branches are forms to people, and one text in the
// store.
type Message struct {
	Argument string
	Kind     plural.Kind
}

// MessageOf is that of a source text; nil where it is another text, or one that forms could not say.
func MessageOf(row *store.Row) *Message {
	if row.Plural || len(row.Texts) != 1 {
		return nil
	}
	for _, kind := range []plural.Kind{plural.Cardinal, plural.Ordinal} {
		if argument, _, ok := plural.Split(row.Texts[0].Value, kind, ""); ok {
			return &Message{argument, kind}
		}
	}
	return nil
}

// Forms are the branches of a stored text; false where it cannot be taken apart.
func (m *Message) Forms(texts []store.Text) ([]store.Text, bool) {
	if len(texts) != 1 {
		return nil, false
	}
	_, forms, ok := plural.Split(texts[0].Value, m.Kind, "")
	all := make([]store.Text, len(forms))
	for i, f := range forms {
		all[i] = store.Text{Form: f.Category, Value: f.Text}
	}
	return all, ok
}

// Stored is the text that forms are in the store.
func (m *Message) Stored(texts []store.Text) []store.Text {
	forms := make([]plural.Form, len(texts))
	for i, t := range texts {
		forms[i] = plural.Form{Category: t.Form, Text: t.Value}
	}
	plural.Sort(forms)
	return []store.Text{{Value: plural.Join(m.Argument, m.Kind, forms)}}
}

// TextOf is the text of a form; empty where there is none.
func TextOf(texts []store.Text, form string) string {
	for _, t := range texts {
		if t.Form == form {
			return t.Value
		}
	}
	return ""
}

// SourceOf is the source text that a form translates: of the same form, else of "other".
func SourceOf(texts []store.Text, form string) string {
	for _, want := range []string{form, plural.Other, ""} {
		if text := TextOf(texts, want); text != "" {
			return text
		}
	}
	return ""
}

// Remember notes a translation of a row in a memory, each form as a text of its own.
func Remember(m *store.Memory, code string, r *store.Row, is *store.Translation) error {
	source, target := r.Texts, is.Texts
	if message := MessageOf(r); message != nil {
		sources, _ := message.Forms(source)
		if targets, apart := message.Forms(target); apart {
			source, target = sources, targets
		}
	}
	m.AddTarget(code)
	for _, t := range target {
		err := m.Remember(SourceOf(source, t.Form), store.Surroundings{Key: r.Key}, code, t.Value, is.Changed)
		if err != nil {
			return err
		}
	}
	return nil
}

// rememberBatch is how many rows one transaction notes in a memory.
const rememberBatch = 5000

// RememberAll notes the confirmed translations that a project has in its memory, some in each transaction: those of
// earlier versions, which noted none that was imported.
func RememberAll(ctx context.Context, st *store.Store, project string) error {
	var names []string
	err := st.View(func(tx *store.Tx) error {
		names = store.CollectionNames(tx, project)
		return nil
	})
	for _, name := range names {
		var after []byte
		for more := true; more && err == nil; {
			if err = ctx.Err(); err != nil {
				return err
			}
			err = st.Update(func(tx *store.Tx) (err error) {
				after, more, err = rememberSome(tx, project, name, after)
				return err
			})
		}
	}
	return err
}

// rememberSome is RememberAll for the rows behind a number, up to a batch.
func rememberSome(tx *store.Tx, project, name string, after []byte) (last []byte, more bool, err error) {
	p, err := store.ProjectIn(tx, project)
	if err != nil {
		return nil, false, err
	}
	k, err := store.OpenCollection(tx, project, name)
	if k == nil || err != nil {
		return nil, false, err
	}
	m, err := store.OwnMemory(tx, p)
	if err != nil {
		return nil, false, err
	}
	rows := 0
	err = k.Each(after, func(n []byte, r *store.Row) (bool, error) {
		if rows++; rows > rememberBatch {
			more = true
			return false, nil
		}
		last = slices.Clone(n)
		for _, code := range k.Targets {
			t, err := k.Translation(code, n)
			if err == nil && t != nil && t.State != store.Draft && len(t.Source) == 0 {
				err = Remember(m, code, r, t)
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, false, err
	}
	return last, more, m.Flush()
}
