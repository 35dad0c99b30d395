package memory

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// tmxUnit is a unit of a TMX file (TMX 1.4b, <tu>): texts by language code as the file spells it.
type tmxUnit struct {
	Variants tmxVariants `xml:"tuv"`
}

type tmxVariant struct {
	Lang string `xml:"lang,attr"` // of the namespace xml, or, in older files, of none
	Seg  struct {
		Inner string `xml:",innerxml"`
	} `xml:"seg"`
}

// tmxVariants are those of one unit. An empty one takes a few bytes of the file and many times as much memory.
type tmxVariants []tmxVariant

// UnmarshalXML adds one variant, as long as there are not too many.
func (v *tmxVariants) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	if len(*v) == maxVariants {
		return &bound.Exceeded{What: "variants in one unit", Most: maxVariants}
	}
	var one tmxVariant
	err := d.DecodeElement(&one, &start)
	*v = append(*v, one)
	return err
}

// weight is the memory that a unit takes, in bytes.
func (u tmxUnit) weight() int {
	weight := variantWeight
	for _, v := range u.Variants {
		weight += variantWeight + len(v.Lang) + len(v.Seg.Inner)
	}
	return weight
}

// maxVariants is how many variants a unit has at most: one for each language, and no file has as many languages.
const maxVariants = 1000

// variantWeight is the memory that an empty variant takes, in bytes, with what a list keeps free.
const variantWeight = 64

// mostNested is how deep elements outside of units may be within each other: encoding/xml keeps each that is open.
const mostNested = 200

// maxUnit is how many bytes of one unit of a TMX file are read, and how much memory the units of one transaction take.
const maxUnit = 1 << 20

// unitsAtOnce is how many units of a file join a memory in one transaction at most; others write between two of them.
const unitsAtOnce = 2048

// importMemory answers POST /v1/translationmemory/{memoryId}: the units of a TMX file join the memory, or, with
// replaceAllContent, replace what it has. A file that is wrong changes nothing: it is read to its end before. One that
// is interrupted while it joins leaves a part, which the same import completes.
func (s *Service) importMemory(c *api.Call) error {
	replace, err := c.Params.Flag(wire.QueryReplaceAllContent)
	if err != nil {
		return err
	}
	file, done, err := s.receiveTMX(c)
	if err != nil {
		return err
	}
	defer done()
	id := c.PathValue(wire.MemoryID)
	err = s.store.View(func(tx *store.Tx) error {
		_, err := store.MemoryIn(tx, wire.MemoryID, id)
		return err
	})
	if err != nil {
		return err
	}
	if err := readTMX(file, func(tmxUnit) error { return nil }); err != nil {
		return err
	}
	err = eachBatch(file, func(units []tmxUnit) error {
		err := s.join(id, units, replace)
		replace = false
		return err
	})
	return c.Done(err)
}

// eachBatch hands on the units of a file, as many at once as join a memory in one transaction. The last batch may be
// empty.
func eachBatch(file io.ReadSeeker, do func([]tmxUnit) error) error {
	var units []tmxUnit
	weight := 0
	err := readTMX(file, func(u tmxUnit) error {
		units = append(units, u)
		if weight += u.weight(); len(units) < unitsAtOnce && weight < maxUnit {
			return nil
		}
		batch := units
		units, weight = nil, 0
		return do(batch)
	})
	if err != nil {
		return err
	}
	return do(units)
}

// join adds units to a memory; replace takes what it has away before.
func (s *Service) join(id string, units []tmxUnit, replace bool) error {
	return s.store.Update(func(tx *store.Tx) error {
		m, err := store.MemoryIn(tx, wire.MemoryID, id)
		if err != nil {
			return err
		}
		if replace {
			if err := m.Clear(); err != nil {
				return err
			}
		}
		for _, u := range units {
			if err := rememberTMX(m, u, tx.Now()); err != nil {
				return err
			}
		}
		return m.Flush()
	})
}

// receiveTMX writes the file of a call to the disk as it comes.
func (s *Service) receiveTMX(c *api.Call) (file *os.File, done func(), err error) {
	if err := c.Bound(api.MaxImport, false); err != nil {
		return nil, nil, err
	}
	file, done, err = s.store.Temporary()
	if err != nil {
		return nil, nil, err
	}
	files := 0
	err = api.EachPart(c.Request, func(p api.Part, content io.Reader) error {
		if !p.IsFile || api.IsModelName(p.Name) {
			return nil
		}
		if files++; files > 1 {
			return nil
		}
		_, err := io.Copy(file, api.Sent{Reader: content})
		return err
	})
	if err == nil && files != 1 {
		err = api.Invalid(wire.PartMemoryFile, "the body has %d files; send one TMX file", files)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return file, done, nil
}

// readTMX calls do with every unit of a file, from its beginning.
func readTMX(file io.ReadSeeker, do func(tmxUnit) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text := &stretch{from: decoded(file)}
	d := xml.NewDecoder(text)
	d.CharsetReader = charsetReader
	seen, depth := false, 0
	for {
		text.left = maxUnit
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return lineOf(d, err)
		}
		if _, ends := t.(xml.EndElement); ends {
			depth--
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if depth++; depth > mostNested {
			return lineOf(d, &bound.Exceeded{What: "elements within each other", Most: mostNested})
		}
		if !seen && start.Name.Local != "tmx" {
			return api.Invalid(wire.PartMemoryFile, "the file is <%s>, not <tmx>", start.Name.Local)
		}
		seen = true
		if start.Name.Local != "tu" {
			continue
		}
		var u tmxUnit
		if err := d.DecodeElement(&u, &start); err != nil {
			return lineOf(d, err)
		}
		depth-- // it was read to its end
		if err := do(u); err != nil {
			return err
		}
	}
	if !seen {
		return api.Invalid(wire.PartMemoryFile, "the file has no <tmx>")
	}
	return nil
}

func lineOf(d *xml.Decoder, err error) error {
	line, _ := d.InputPos()
	return api.Invalid(wire.PartMemoryFile, "line %d: %v", line, err)
}

func rememberTMX(m *store.Memory, u tmxUnit, now int64) error {
	texts := map[string]string{}
	source := ""
	for _, v := range u.Variants {
		l, known := api.FindLanguage(v.Lang)
		text := tmxText(v.Seg.Inner)
		switch {
		case !known || text == "":
		case api.SameLanguage(l.Code, m.Record.Source):
			source = text
		default:
			texts[l.Code] = text
		}
	}
	if source == "" {
		return nil
	}
	for _, v := range u.Variants { // in the order of the file
		l, _ := api.FindLanguage(v.Lang)
		if text := texts[l.Code]; text != "" {
			if err := m.Remember(source, store.Surroundings{}, l.Code, text, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// nativeCodes are the elements of a segment that hold codes of the program it comes from, and no text.
var nativeCodes = []string{"bpt", "ept", "ph", "it", "ut"}

// tmxText is the text of a segment's content, without codes. Broken content has none.
func tmxText(inner string) string {
	d := xml.NewDecoder(strings.NewReader(inner))
	var plain strings.Builder
	codes := 0
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return plain.String()
		}
		if err != nil {
			return ""
		}
		switch t := t.(type) {
		case xml.StartElement:
			if codes > 0 || slices.Contains(nativeCodes, t.Name.Local) {
				codes++
			}
		case xml.EndElement:
			codes = max(codes-1, 0)
		case xml.CharData:
			if codes == 0 {
				plain.Write(t)
			}
		}
	}
}

// exportMemory answers GET /v1/translationmemory/{memoryId}/file with a TMX file. It is written to the disk before it
// is sent, so that a slow reader keeps no transaction open.
func (s *Service) exportMemory(c *api.Call) error {
	mode, given, err := c.Params.Word(wire.QueryMemoryExportMode)
	if err != nil {
		return err
	}
	if given && !strings.EqualFold(mode, wire.MemoryExportTMX) {
		return api.Invalid(wire.QueryMemoryExportMode, "%q is not served here; this service writes %s", mode,
			wire.MemoryExportTMX)
	}
	if _, err := c.Params.Flag(wire.QueryWithTags); err != nil {
		return err
	}
	file, done, err := s.store.Temporary()
	if err != nil {
		return err
	}
	defer done()
	name := ""
	err = s.store.View(func(tx *store.Tx) error {
		m, err := store.MemoryIn(tx, wire.MemoryID, c.PathValue(wire.MemoryID))
		if err != nil {
			return err
		}
		name = api.FileName(m.Record.Name) + ".tmx"
		return writeTMX(m, file)
	})
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return c.File(file, "application/x-tmx+xml", name)
}

func writeTMX(m *store.Memory, to io.Writer) error {
	w := bufio.NewWriter(to)
	w.WriteString(xml.Header +
		`<tmx version="1.4"><header creationtool="locsync" creationtoolversion="1" datatype="plaintext" ` +
		`segtype="sentence" adminlang="en" srclang="` +
		m.Record.Source + `" o-tmf="locsync"/><body>` + "\n")
	err := m.Each(func(u *store.MemoryUnit) error {
		source, err := segment.EscapeXML(u.Source)
		if err != nil {
			return nil // XML has no way to write it
		}
		w.WriteString(`<tu><tuv xml:lang="` + m.Record.Source + `"><seg>` + source + `</seg></tuv>`)
		for _, code := range slices.Sorted(maps.Keys(u.Targets)) {
			if text, err := segment.EscapeXML(u.Targets[code].Text); err == nil {
				w.WriteString(`<tuv xml:lang="` + code + `"><seg>` + text + `</seg></tuv>`)
			}
		}
		w.WriteString("</tu>\n")
		return nil
	})
	if err != nil {
		return err
	}
	w.WriteString("</body></tmx>\n")
	return w.Flush()
}
