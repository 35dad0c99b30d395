package local

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/locsync/locsync/sync/service/wire"
)

// text is one text of a key: the only one, or that of a plural form.
type text struct{ form, value string }

// row is a key of a collection with its source text.
type row struct {
	key     string
	plural  bool  // the texts are plural forms; two rows may share a key when one is plural and one is not, as in Android
	pseudo  bool  // it was made while pseudo-translation was on: where it has no translation, it has a pseudo-translation
	changed int64 // when source text or labels changed last, in Unix nanoseconds
	texts   []text
	labels  []string // sorted
	note    string   // what the developers say about it
	// lists are the lengths of those beginnings of the key that name a list: of "menu/0/title", imported from a file in which menu is
	// a list, it holds 4. Structured exports make lists of them again.
	lists []int
}

// translation is a key's texts in one target language.
type translation struct {
	state   state
	changed int64 // when text or state changed last, in Unix nanoseconds
	texts   []text
}

// state is how far a translation has come. The numbers are stored.
type state uint8

const (
	draft state = iota
	intermediate
	final
)

func stateOf(word wire.CompletionState) state {
	return state(slices.Index([]wire.CompletionState{wire.Draft, wire.Intermediate, wire.Final}, word))
}

// The stored form of both starts with one byte of flags; the fields follow in the order of the encoders below: numbers as uvarints,
// strings and lists with their length before them. A new field goes to the end, where decoders of today stop reading.
const (
	flagPlural = 1 << iota
	flagPseudo
)

func (r *row) encode() []byte {
	var flags byte
	if r.plural {
		flags |= flagPlural
	}
	if r.pseudo {
		flags |= flagPseudo
	}
	b := append(make([]byte, 0, 64+len(r.key)+len(r.note)), flags)
	b = appendString(b, r.key)
	b = binary.AppendUvarint(b, uint64(r.changed))
	b = appendTexts(b, r.texts)
	b = binary.AppendUvarint(b, uint64(len(r.labels)))
	for _, l := range r.labels {
		b = appendString(b, l)
	}
	b = appendString(b, r.note)
	b = binary.AppendUvarint(b, uint64(len(r.lists)))
	for _, n := range r.lists {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// decodeRow copies everything out of b, which belongs to the database.
func decodeRow(b []byte) (*row, error) {
	d := decoder{b: b}
	flags := d.byte()
	r := &row{plural: flags&flagPlural != 0, pseudo: flags&flagPseudo != 0}
	r.key = d.string()
	r.changed = int64(d.uvarint())
	r.texts = d.texts()
	for range d.count() {
		r.labels = append(r.labels, d.string())
	}
	r.note = d.string()
	for range d.count() {
		r.lists = append(r.lists, int(d.uvarint()))
	}
	return r, d.err
}

func (t *translation) encode() []byte {
	b := append(make([]byte, 0, 64), byte(t.state))
	b = binary.AppendUvarint(b, uint64(t.changed))
	return appendTexts(b, t.texts)
}

func decodeTranslation(b []byte) (*translation, error) {
	d := decoder{b: b}
	t := &translation{state: state(d.byte())}
	t.changed = int64(d.uvarint())
	t.texts = d.texts()
	return t, d.err
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTexts(b []byte, texts []text) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		b = appendString(appendString(b, t.form), t.value)
	}
	return b
}

var errStoredRow = errors.New("a stored key cannot be read")

// decoder reads what the encoders wrote. After an error everything reads as zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	d.b, d.err = nil, errStoredRow
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

// count is a length of a list: never more than there are bytes left, so that broken bytes cannot ask for all the memory.
func (d *decoder) count() int {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	n := d.count()
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) texts() []text {
	n := d.count()
	if n == 0 {
		return nil
	}
	texts := make([]text, 0, n)
	for range n {
		texts = append(texts, text{form: d.string(), value: d.string()})
	}
	return texts
}
