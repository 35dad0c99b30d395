package store

import (
	"encoding/binary"
	"slices"

	"github.com/locsync/locsync/sync/service/local/pack"
	"github.com/locsync/locsync/sync/service/wire"
)

// Text is one text of a key: the only one, or that of a plural form.
type Text struct{ Form, Value string }

// Row is a key of a collection with its source text.
type Row struct {
	Key     string
	Plural  bool  // the texts are plural forms; two rows may share a key when one is plural and one is not, as in Android
	Pseudo  bool  // it was made while pseudo-translation was on: where it has no translation, it has a pseudo-translation
	Changed int64 // when source text or labels changed last, in Unix nanoseconds
	Texts   []Text
	Labels  []string // sorted
	Note    string   // what the developers say about it
	// lists are the lengths of those beginnings of the key that name a list: of "menu/0/title", imported from a file in
	// which menu is a list, it holds 4. Structured exports make lists of them again.
	Lists []int
	// Format is what the source text was imported as last: which placeholders it may have depends on it.
	Format wire.Format
	File   string // the name of the file that it was imported from last
}

// Translation is a key's texts in one target language.
type Translation struct {
	State   State
	Changed int64 // when text or state changed last, in Unix nanoseconds
	Texts   []Text
	By      string // the person who wrote it; empty: an import, or a change of the source text
	// Rejected is why a person wants another text.
	Rejected Rejection
	// Source are the texts that it translates, where the source has others by now.
	Source []Text
}

// Rejection is who rejected a translation, and why; the zero value: it is not rejected.
type Rejection struct{ By, Reason string }

// State is how far a translation has come. The numbers are stored.
type State uint8

const (
	Draft State = iota
	Intermediate
	Final
)

// Word is how the interface names a state.
func (s State) Word() wire.CompletionState {
	return wire.CompletionStates[min(s, Final)]
}

func StateOf(word wire.CompletionState) State {
	return State(slices.Index(wire.CompletionStates, word))
}

// The stored form of both starts with one byte of flags; the fields follow in the order of the encoders below:
// numbers as uvarints, strings and lists with their length before them. A new field goes to the end, where decoders
// of today stop reading.
const (
	flagPlural = 1 << iota
	flagPseudo
)

func (r *Row) encode() []byte {
	var flags byte
	if r.Plural {
		flags |= flagPlural
	}
	if r.Pseudo {
		flags |= flagPseudo
	}
	b := append(make([]byte, 0, 64+len(r.Key)+len(r.Note)), flags)
	b = pack.AppendString(b, r.Key)
	b = binary.AppendUvarint(b, uint64(r.Changed))
	b = appendTexts(b, r.Texts)
	b = binary.AppendUvarint(b, uint64(len(r.Labels)))
	for _, l := range r.Labels {
		b = pack.AppendString(b, l)
	}
	b = pack.AppendString(b, r.Note)
	b = binary.AppendUvarint(b, uint64(len(r.Lists)))
	for _, n := range r.Lists {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return pack.AppendString(pack.AppendString(b, string(r.Format)), r.File)
}

// decodeRow copies everything out of b, which belongs to the database.
func decodeRow(b []byte) (*Row, error) {
	d := pack.Reader{Rest: b}
	flags := d.Byte()
	r := &Row{Plural: flags&flagPlural != 0, Pseudo: flags&flagPseudo != 0}
	r.Key = d.String()
	r.Changed = int64(d.Uvarint())
	r.Texts = readTexts(&d)
	for range d.Count() {
		r.Labels = append(r.Labels, d.String())
	}
	r.Note = d.String()
	for range d.Count() {
		r.Lists = append(r.Lists, int(d.Uvarint()))
	}
	if len(d.Rest) > 0 { // earlier versions did not store it
		r.Format = wire.Format(d.String())
	}
	if len(d.Rest) > 0 {
		r.File = d.String()
	}
	return r, d.Err
}

func (t *Translation) encode() []byte {
	b := append(make([]byte, 0, 64), byte(t.State))
	b = binary.AppendUvarint(b, uint64(t.Changed))
	b = appendTexts(b, t.Texts)
	outdated := len(t.Source) > 0
	rejected := outdated || t.Rejected != Rejection{}
	if t.By != "" || rejected {
		b = pack.AppendString(b, t.By)
	}
	if rejected {
		b = pack.AppendString(pack.AppendString(b, t.Rejected.By), t.Rejected.Reason)
	}
	if outdated {
		b = appendTexts(b, t.Source)
	}
	return b
}

func decodeTranslation(b []byte) (*Translation, error) {
	d := pack.Reader{Rest: b}
	t := &Translation{State: State(d.Byte())}
	t.Changed = int64(d.Uvarint())
	t.Texts = readTexts(&d)
	if len(d.Rest) > 0 {
		t.By = d.String()
	}
	if len(d.Rest) > 0 {
		t.Rejected = Rejection{By: d.String(), Reason: d.String()}
	}
	if len(d.Rest) > 0 {
		t.Source = readTexts(&d)
	}
	return t, d.Err
}

func appendTexts(b []byte, texts []Text) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		b = pack.AppendString(pack.AppendString(b, t.Form), t.Value)
	}
	return b
}

func readTexts(d *pack.Reader) []Text {
	n := d.Count()
	if n == 0 {
		return nil
	}
	texts := make([]Text, 0, n)
	for range n {
		texts = append(texts, Text{Form: d.String(), Value: d.String()})
	}
	return texts
}
