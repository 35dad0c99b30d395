package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What is kept of the exports that are asked for together.
const (
	mostTexts  = 1_000_000
	mostKept   = 128 << 20 // bytes
	mostText   = 1 << 20   // bytes of one text
	unitMemory = 64        // bytes that a text takes beside its letters
	pieceSize  = 1 << 20   // bytes of a JSON file that are read at once
)

// ErrTooMany says that more than may be kept was asked for.
var ErrTooMany = errors.New("the service has too many texts in all that is asked for together; divide the project")

// Kept counts what is kept of exports.
type Kept struct {
	only         func(key string) bool // nil: everything is kept
	wanted       func(key string) bool // what may be only, where everything is too much
	texts, bytes int
}

// Within reads exports. Where all of it is more than may be kept, they are read again, for wanted keys only; with nil
// there are none to be told from others.
func (k *Kept) Within(wanted func(key string) bool, read func() error) error {
	before := *k
	k.only, k.wanted = nil, wanted
	err := read()
	if errors.Is(err, ErrTooMany) && k.CanDrop() {
		*k = Kept{only: wanted, wanted: wanted, texts: before.texts, bytes: before.bytes}
		err = read()
	}
	return err
}

// Again reads once more, and alone, what was kept.
func (k *Kept) Again() *Kept { return &Kept{only: k.only} }

// Bytes is how much is kept.
func (k *Kept) Bytes() int { return k.bytes }

// CanDrop says that ErrTooMany is an answer to Within.
func (k *Kept) CanDrop() bool { return k.only == nil && k.wanted != nil }

// add takes the texts of a piece of so many bytes into account.
func (k *Kept) add(texts catalog.Catalog, size int) error {
	for i := range texts {
		u := &texts[i]
		if len(u.Text) > mostText {
			return fmt.Errorf("the text of %.100q: %w", u.Key, &bound.Exceeded{What: "bytes", Most: mostText})
		}
		size += len(u.Key) + len(u.Form) + len(u.Text) + len(u.Note) + unitMemory
	}
	k.texts, k.bytes = k.texts+len(texts), k.bytes+size
	switch {
	case k.texts > mostTexts:
		return fmt.Errorf("%w: %w", ErrTooMany, &bound.Exceeded{What: "texts", Most: mostTexts})
	case k.bytes > mostKept:
		return fmt.Errorf("%w: %w", ErrTooMany, &bound.Exceeded{What: "bytes", Most: mostKept})
	}
	return nil
}

// part is the wanted part of texts, in memory of its own.
func (k *Kept) part(texts catalog.Catalog) catalog.Catalog {
	var all catalog.Catalog
	for _, u := range texts {
		if k.only(u.Key) {
			all = append(all, catalog.Unit{Name: catalog.Name{Key: strings.Clone(u.Key), Form: strings.Clone(u.Form)},
				Text: strings.Clone(u.Text), Note: strings.Clone(u.Note)})
		}
	}
	return all
}

// ReadExport reads a file of an export in a language; there says that it is not blank. JSON may have any length: it is
// read piece by piece.
func (b *Bundle) ReadExport(
	open func() (io.ReadCloser, error), l config.Language, kept *Kept,
) (texts catalog.Catalog, there bool, err error) {
	file, err := open()
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	keys := resource.Keys{Separator: b.Separator, Roots: roots(b.Output.Spelled(l))}
	before := [...]int{kept.texts, kept.bytes}
	take := func(src []byte, whole bool) error {
		if len(bytes.TrimSpace(src)) == 0 {
			return nil
		}
		if there = true; !whole {
			keys.Roots = nil // there are others beside it
		}
		f, err := parseExport(b, src, keys)
		if err != nil {
			return err
		}
		more, size := Texts(f), len(src)
		if kept.only != nil {
			more, size = kept.part(more), 0
		}
		for i := range more {
			if b.Format.LineEnds { // a break at the service is one of the file's
				more[i].Text = strings.ReplaceAll(more[i].Text, "\r\n", "\n")
			}
		}
		texts = append(texts, more...)
		return kept.add(more, size)
	}
	if b.Format.Exchanged().Pieces() {
		err = bound.Pieces(file, pieceSize, resource.MaxBytes, take)
	} else if src, rerr := bound.Read(file, resource.MaxBytes); rerr != nil {
		err = rerr
	} else {
		err = take(src, true)
	}
	if err != nil {
		kept.texts, kept.bytes = before[0], before[1] // nothing of it is kept, and others go on
		return nil, there, err
	}
	return slices.Clone(last(texts)), there, nil // it grew, and what it grew by is not kept
}

func parseExport(b *Bundle, src []byte, keys resource.Keys) (*resource.File, error) {
	f, err := b.Format.Exchanged().Parse(keys, src)
	switch {
	case err != nil:
		return nil, err
	case f.Node(0).Kind != resource.Map:
		return nil, errors.New("it is a list of values, and keys with texts were asked for")
	case declaresType(src):
		return nil, errors.New("it has a DOCTYPE, whose entities could stand for anything")
	}
	return f, nil
}

// last is a catalog in which, of several texts with one name, the last counts.
func last(texts catalog.Catalog) catalog.Catalog {
	index := make(map[catalog.Name]int32, len(texts))
	all := texts[:0]
	for _, u := range texts {
		if i, twice := index[u.Name]; twice {
			all[i] = u
			continue
		}
		index[u.Name] = int32(len(all))
		all = append(all, u)
	}
	return all
}

// declaresType says whether an XML file has a DOCTYPE, which no service writes.
func declaresType(src []byte) bool {
	prolog, _, _ := bytes.Cut(src, []byte("<resources"))
	xml := bytes.HasPrefix(bytes.TrimLeft(prolog, "\ufeff \t\r\n"), []byte("<"))
	return xml && bytes.Contains(prolog, []byte("<!DOCTYPE"))
}
