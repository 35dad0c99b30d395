package keys

import (
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
