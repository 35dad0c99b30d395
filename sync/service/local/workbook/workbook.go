// Package workbook reads, changes and writes workbooks of the form .xlsx as far as they hold texts: an archive of XML
// files. Nothing is believed of one: parts are read as streams within bounds, and what is changed is cut into the bytes
// of its sheet, so that everything else of the workbook stays as it was.
package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Bounds of every workbook. A sheet can have no more rows and columns.
const (
	mostParts   = 10_000
	mostRows    = 1 << 20
	mostColumns = 1 << 14
	mostWord    = 1 << 20 // bytes between two signs of XML
	mostShared  = 1_000_000
	sharedBytes = 64 << 20
)

// Book is a workbook.
type Book struct {
	ctx    context.Context // its parts are read until it ends
	parts  map[string]*zip.File
	files  []*zip.File
	most   int64 // bytes of all parts that are read
	left   int64
	sheets []sheet
	shared []string
	links  string // the part that names the others
}

type sheet struct{ name, part string }

// mostName is how long the name of a sheet may be, in bytes; Excel's have 31 characters.
const mostName = 1000

// Open reads what a workbook has, and its shared texts; most bounds the bytes of all parts together. What is read of it
// ends with ctx.
func Open(ctx context.Context, src []byte, most int64) (*Book, error) {
	archive, err := zip.NewReader(bytes.NewReader(src), int64(len(src)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	if len(archive.File) > mostParts {
		return nil, &bound.Exceeded{What: "parts", Most: mostParts}
	}
	b := &Book{ctx: ctx, parts: make(map[string]*zip.File), files: archive.File, most: most, left: most}
	for _, f := range archive.File {
		b.parts[strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")] = f
	}
	main := "xl/workbook.xml"
	if err := b.relations("", "_rels/.rels", func(_, kind, target string) {
		if kind == "officeDocument" {
			main = target
		}
	}); err != nil {
		return nil, err
	}
	if b.parts[main] == nil {
		return nil, errors.New("the archive is not a workbook")
	}
	return b, b.contents(main)
}

// contents finds the sheets and the shared texts.
func (b *Book) contents(main string) error {
	parts, shared := make(map[string]string), ""
	b.links = path.Join(path.Dir(main), "_rels", path.Base(main)+".rels")
	err := b.relations(path.Dir(main), b.links, func(id, kind, target string) {
		switch kind {
		case "worksheet":
			parts[id] = target
		case "sharedStrings":
			shared = target
		}
	})
	if err != nil {
		return err
	}
	names, files := make(map[string]bool), make(map[*zip.File]bool)
	err = b.elements(main, func(_ *decoder, e xml.StartElement) error {
		part, name := parts[attribute(e, "id")], attribute(e, "name")
		file := b.parts[part]
		switch {
		case e.Name.Local != "sheet" || file == nil:
			return nil
		case len(name) > mostName:
			return fmt.Errorf("the name of a sheet: %w", &bound.Exceeded{What: "bytes", Most: mostName})
		case names[name] || files[file]: // each would be read anew
			return fmt.Errorf("sheet %q has the name of another sheet, or its contents (%s); save the workbook anew", name, part)
		}
		names[name], files[file] = true, true
		b.sheets = append(b.sheets, sheet{name, part})
		return nil
	})
	if err != nil || b.parts[shared] == nil {
		return err
	}
	total := 0
	return b.elements(shared, func(d *decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := textOf(d)
		b.shared = append(b.shared, text)
		if total += len(text); len(b.shared) > mostShared || total > sharedBytes {
			return &bound.Exceeded{What: "shared texts", Most: mostShared}
		}
		return err
	})
}

// Sheets are the names of the sheets, in order.
func (b *Book) Sheets() []string {
	var names []string
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

func (b *Book) part(sheet string) string {
	for _, s := range b.sheets {
		if s.name == sheet {
			return s.part
		}
	}
	return ""
}

// relations hands on what a part's relations name, relative to a folder.
func (b *Book) relations(folder, part string, each func(id, kind, target string)) error {
	if b.parts[part] == nil {
		return nil
	}
	count := 0
	return b.elements(part, func(_ *decoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			if count++; count > mostParts {
				return &bound.Exceeded{What: "relations", Most: mostParts}
			}
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			each(attribute(e, "Id"), path.Base(attribute(e, "Type")), strings.TrimPrefix(target, "/"))
		}
		return nil
	})
}

// open reads a part within its bounds.
func (b *Book) open(part string) (io.Reader, func() error, error) {
	f := b.parts[part]
	if f == nil {
		return nil, nil, fmt.Errorf("%s is not there", part)
	}
	if f.UncompressedSize64 > uint64(b.left) {
		return nil, nil, fmt.Errorf("%s: %w", part, &bound.Exceeded{What: "bytes", Most: b.most})
	}
	r, err := f.Open()
	if err != nil {
		return nil, nil, err
	}
	return &words{from: r, book: b}, r.Close, nil
}

// words refuses more bytes than all parts of a workbook may have, and a word of XML that would have to be kept whole.
type words struct {
	from io.Reader
	book *Book
	word int
}

func (w *words) Read(p []byte) (int, error) {
	if err := w.book.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.from.Read(p)
	if w.book.left -= int64(n); w.book.left < 0 {
		return 0, &bound.Exceeded{What: "bytes", Most: w.book.most}
	}
	if at := bytes.LastIndexAny(p[:n], "<>"); at >= 0 {
		w.word = n - at
	} else if w.word += n; w.word > mostWord {
		return 0, fmt.Errorf("one text: %w", &bound.Exceeded{What: "bytes", Most: mostWord})
	}
	return n, err
}

// elements hands on the beginnings of a part's elements, with what reads on behind them.
func (b *Book) elements(part string, each func(*decoder, xml.StartElement) error) error {
	r, done, err := b.open(part)
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // it was read
	d := &decoder{xml: xml.NewDecoder(r)}
	for {
		t, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if e, begins := t.(xml.StartElement); err == nil && begins {
			err = each(d, e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// textOf reads an element to its end: the texts in it, without what tells how they are pronounced.
func textOf(d *decoder) (string, error) {
	var text strings.Builder
	for depth, takes, passes := 1, 0, 0; ; {
		t, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			if t.Name.Local == "t" && takes == 0 {
				takes = depth
			} else if t.Name.Local == "rPh" && passes == 0 {
				passes = depth
			}
		case xml.EndElement:
			if takes == depth {
				takes = 0
			} else if passes == depth {
				passes = 0
			}
			if depth--; depth == 0 {
				return unescape(text.String()), nil
			}
		case xml.CharData:
			if takes > 0 && passes == 0 {
				text.Write(t)
			}
		}
		if text.Len() > mostWord {
			return "", &bound.Exceeded{What: "bytes", Most: mostWord}
		}
	}
}
