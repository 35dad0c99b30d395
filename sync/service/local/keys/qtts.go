package keys

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// mostNested is how deep elements of a Qt Linguist file may be within each other: encoding/xml keeps each that is open.
const mostNested = 200

// readQtTS reads a Qt Linguist file. The key of a message is its source text. As a file of the source language it
// offers the source texts, or the translations that replace them; in a target language the finished translations.
// Forms of a number become plural forms by how many there are, as Qt orders them. Messages that are marked as vanished
// or obsolete are no longer in the program and are left out.
func readQtTS(body []byte, source bool) ([]entry, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	var entries []entry
	root, depth := false, 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, qtError(d, err)
		}
		if _, ends := t.(xml.EndElement); ends {
			depth--
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if depth++; depth > mostNested {
			return nil, qtError(d, fmt.Errorf("more than %d elements are within each other", mostNested))
		}
		if !root && start.Name.Local != "TS" {
			return nil, fmt.Errorf("the root is <%s>, not <TS>: not a Qt Linguist file", start.Name.Local)
		}
		root = true
		if start.Name.Local != "message" {
			continue
		}
		var m qtMessage
		if err := d.DecodeElement(&m, &start); err != nil {
			return nil, qtError(d, err)
		}
		depth-- // it was read to its end
		if e, ok := m.entry(source); ok {
			entries = append(entries, e)
		}
	}
	if !root {
		return nil, errors.New("no <TS> element: not a Qt Linguist file")
	}
	return entries, nil
}

func qtError(d *xml.Decoder, err error) error {
	line, col := d.InputPos()
	return fmt.Errorf("%d:%d: %v", line, col, err)
}

type qtMessage struct {
	Numerus     string `xml:"numerus,attr"`
	Source      string `xml:"source"`
	Comment     string `xml:"comment"`
	Extra       string `xml:"extracomment"`
	Translation struct {
		Type  string   `xml:"type,attr"`
		Text  string   `xml:",chardata"`
		Forms []string `xml:"numerusform"`
	} `xml:"translation"`
}

// qtForms are the categories of Qt's forms, by how many a language has.
var qtForms = map[int][]string{
	1: {"other"}, 2: {"one", "other"}, 3: {"one", "few", "other"}, 4: {"one", "few", "many", "other"},
	5: {"one", "two", "few", "many", "other"}, 6: {"zero", "one", "two", "few", "many", "other"},
}

func (m *qtMessage) entry(source bool) (entry, bool) {
	kind := m.Translation.Type
	if m.Source == "" || kind == "vanished" || kind == "obsolete" {
		return entry{}, false
	}
	e := entry{key: m.Source, note: strings.TrimSpace(m.Extra + "\n" + m.Comment), format: wire.FormatQtTS}
	if m.Numerus == "yes" {
		for i, form := range qtForms[len(m.Translation.Forms)] {
			e.texts = append(e.texts, store.Text{Form: form, Value: m.Translation.Forms[i]})
		}
		if strings.TrimSpace(strings.Join(m.Translation.Forms, "")) == "" {
			e.texts = nil
		}
	} else if m.Translation.Text != "" {
		e.texts = []store.Text{{Form: "", Value: m.Translation.Text}}
	}
	unfinished := kind == "unfinished" || e.texts == nil
	switch {
	case !source:
		return e, !unfinished
	case unfinished:
		e.texts = []store.Text{{Form: "", Value: m.Source}}
	}
	return e, true
}
