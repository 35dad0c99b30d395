package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// readJSON reads JSON and JSONC.
func readJSON(src []byte) (*document, error) {
	d, err := readMembers(src, false)
	if err == nil {
		hideSettings(d.leaves)
		d.describes = true
	}
	return d, err
}

// readARB reads JSON in which all members with an @ before their names are metadata.
func readARB(src []byte) (*document, error) { return readMembers(src, true) }

func readMembers(src []byte, arb bool) (*document, error) {
	j, err := jsonOf(src)
	if err != nil {
		return nil, err
	}
	if err := j.value(nil); err != nil {
		return nil, err
	}
	if err := j.ended(); err != nil {
		return nil, err
	}
	hideMetadata(j.leaves, arb)
	return &document{text: textOf(src), leaves: j.leaves}, nil
}

// textOf is bytes as a text that shares their memory: they are not written to any more.
func textOf(src []byte) string { return unsafe.String(unsafe.SliceData(src), len(src)) }

// jsonReader walks over a document's tokens.
type jsonReader struct {
	walk
	src    string // prepared: the same length as the file
	d      *json.Decoder
	leaves []Leaf
	known  map[string]string // names that were met below others, which are mostly the same few
}

// mostKnown bounds what is kept of names.
const mostKnown = 1000

// once is a name that shares its memory with those before it that are the same.
func (j *jsonReader) once(name string) string {
	if known, is := j.known[name]; is {
		return known
	}
	if len(j.path) > 1 && len(j.known) < mostKnown {
		j.known[name] = name
	}
	return name
}

func jsonOf(src []byte) (*jsonReader, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	plain := plainJSON(src)
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	return &jsonReader{walk: walk{bytes: len(src)}, src: textOf(plain), d: d, known: make(map[string]string)}, nil
}

// checkUTF8 refuses what no reader of text accepts; the libraries differ in what they let pass.
func checkUTF8(src []byte) error {
	if !utf8.Valid(src) {
		return fmt.Errorf("not valid UTF-8")
	}
	return nil
}

// plainJSON puts spaces instead of a byte order mark, of comments, and of a comma behind a last member. A file without
// any of these is not copied.
func plainJSON(src []byte) []byte {
	out, copied := src, false
	blank := func(from, to int) {
		if !copied {
			out, copied = bytes.Clone(src), true
		}
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	i := 0
	if bytes.HasPrefix(out, []byte(mark)) {
		blank(0, len(mark))
		i = len(mark)
	}
	comma := -1         // a comma that nothing but white space is behind yet
	before := byte('[') // what is before it
	last := byte('[')
	for i < len(out) {
		c := out[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '/' && bytes.HasPrefix(out[i:], []byte("//")):
			n := bytes.IndexAny(out[i:], "\r\n")
			if n < 0 {
				n = len(out) - i
			}
			blank(i, i+n)
			i += n
			continue
		case c == '/' && bytes.HasPrefix(out[i:], []byte("/*")):
			n := bytes.Index(out[i+2:], []byte("*/"))
			if n < 0 {
				return out // encoding/json says where
			}
			blank(i, i+n+4)
			i += n + 4
			continue
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == ',':
			comma, before = i, last
		case (c == '}' || c == ']') && comma >= 0 && before != '{' && before != '[' && before != ',' && before != ':':
			blank(comma, comma+1)
		}
		if c != ',' {
			comma = -1
		}
		last = c
		i++
	}
	return out
}

// next reads a token and returns it with its offset.
func (j *jsonReader) next() (t json.Token, at, end int, err error) {
	at = int(j.d.InputOffset())
	if t, err = j.d.Token(); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, 0, 0, fmt.Errorf("encoding/json: %w", err)
	}
	end = int(j.d.InputOffset())
	at += len(j.src[at:end]) - len(strings.TrimLeft(j.src[at:end], " \t\r\n,:"))
	return t, at, end, nil
}

// ended checks that nothing is behind the root.
func (j *jsonReader) ended() error {
	if _, err := j.d.Token(); err != io.EOF {
		return errors.New("there is something after the document's end")
	}
	return nil
}

// value reads the value that is next and all that is in it. see, when not nil, is told the offset of every value. What
// is spelled is copied: it would keep all of the prepared file.
func (j *jsonReader) value(see func(at, end int)) error {
	t, at, end, err := j.next()
	if err == nil {
		err = j.tooLarge()
	}
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		n := len(j.leaves)
		if t == '{' {
			err = j.object(see)
		} else {
			err = j.array(see)
		}
		if err != nil {
			return err
		}
		end = int(j.d.InputOffset())
		if len(j.leaves) == n && len(j.path) > 0 {
			j.leaves = append(j.leaves, j.leaf(Empty, strings.Clone(j.src[at:at+1]), at, end))
		}
	case string:
		l := j.leaf(Text, t, at, end)
		if half(j.src[at:end]) {
			l.Kind, l.Text = Other, strings.Clone(j.src[at:end])
		}
		j.leaves = append(j.leaves, l)
	case nil:
		j.leaves = append(j.leaves, j.leaf(Null, "null", at, end))
	default:
		j.leaves = append(j.leaves, j.leaf(Other, strings.Clone(j.src[at:end]), at, end))
	}
	if len(j.path) == 0 && j.src[at] != '{' && j.src[at] != '[' {
		return errors.New("the document is a single value")
	}
	if see != nil {
		see(at, end)
	}
	return nil
}

func (j *jsonReader) object(see func(at, end int)) error {
	return j.members(func(name string, _, _ int) error {
		j.in(j.once(name), false)
		err := j.value(see)
		j.out()
		return err
	})
}

// members reads the rest of an object. each is called behind a name, whose span it gets, to read the value.
func (j *jsonReader) members(each func(name string, at, end int) error) error {
	for j.d.More() {
		t, at, end, err := j.next()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if half(j.src[at:end]) {
			name = j.src[at:end]
		}
		if err := each(name, at, end); err != nil {
			return err
		}
	}
	_, _, _, err := j.next()
	return err
}

func (j *jsonReader) array(see func(at, end int)) error {
	for i := 0; j.d.More(); i++ {
		j.in(strconv.Itoa(i), true)
		if err := j.value(see); err != nil {
			return err
		}
		j.out()
	}
	_, _, _, err := j.next()
	return err
}

// half reports whether a string as spelled has half of a surrogate pair, which encoding/json reads as U+FFFD without a
// word.
func half(raw string) bool {
	high := false
	for i := 0; i < len(raw); i++ {
		unit := 0
		if raw[i] == '\\' && i+1 < len(raw) {
			if raw[i+1] == 'u' && i+6 <= len(raw) {
				n, _ := strconv.ParseUint(raw[i+2:i+6], 16, 32)
				unit = int(n)
				i += 4
			}
			i++
		}
		low := unit >= 0xdc00 && unit < 0xe000
		if low != high {
			return true
		}
		high = unit >= 0xd800 && unit < 0xdc00
	}
	return high
}

// readLocJSON reads the units of a LocJSON file. What they hold beside key and source is between the leaves, and is
// compared as bytes.
func readLocJSON(src []byte) (*document, error) {
	j, err := jsonOf(src)
	if err != nil {
		return nil, err
	}
	spans := map[string][2]int{} // of the containers and values in the units, by path
	if err := j.value(func(at, end int) {
		if len(j.path) == 3 && j.path[0] == "units" {
			spans[strings.Join(j.path, "\x00")] = [2]int{at, end}
		}
	}); err != nil {
		return nil, err
	}
	if err := j.ended(); err != nil {
		return nil, err
	}
	d := &document{text: string(src)}
	units := map[string]*Leaf{}
	var order []string
	for _, l := range j.leaves {
		if len(l.Path) < 3 || l.Path[0] != "units" {
			if len(l.Path) > 0 && l.Path[0] != "units" {
				l.at = -1
				d.leaves = append(d.leaves, l)
			}
			continue
		}
		u := units[l.Path[1]]
		if u == nil {
			u = &Leaf{Path: l.Path[:2], lists: []int{1}, Kind: Text, at: -1}
			units[l.Path[1]] = u
			order = append(order, l.Path[1])
		}
		switch l.Path[2] {
		case "key":
			u.Key, u.Keyed = l.Text, l.Kind == Text
		case "source":
			span := spans[strings.Join(l.Path[:3], "\x00")]
			u.at, u.end = span[0], span[1]
			switch l.Kind {
			case Text:
				u.Text += l.Text
			case Other:
				u.Kind = Other
			}
		}
	}
	for _, at := range order {
		u := units[at]
		if !u.Keyed || u.at < 0 {
			return nil, fmt.Errorf("unit %s has no key or no source", at)
		}
		if u.Kind == Other {
			u.Text = j.src[u.at:u.end]
		}
		u.Path, u.lists = []string{"units", u.Key}, nil // units go by their keys
		d.leaves = append(d.leaves, *u)
	}
	return d, nil
}

// readCatalog reads a string catalog. Its leaves are those of all languages; only those of one have keys. A string unit
// is one leaf: its state changes with its text.
func (r Rule) readCatalog(src []byte) (*document, error) {
	d, err := readMembers(src, false)
	if err != nil {
		return nil, err
	}
	c := catalog{language: r.Language, source: r.source, substituted: make(map[string]bool)}
	for _, l := range d.leaves {
		if len(l.Path) == 1 && l.Path[0] == "sourceLanguage" && l.Kind == Text {
			c.source = l.Text
		}
		if of, is := c.localized(l); is && of[0] == "substitutions" {
			c.substituted[l.Path[1]+"\x00"+strings.ToLower(l.Path[3])] = true
		}
	}
	if c.language == "" {
		c.language = c.source
	}
	leaves := d.leaves[:0]
	for i := 0; i < len(d.leaves); i++ {
		l := d.leaves[i]
		of, is := c.localized(l)
		if !is {
			leaves = append(leaves, l)
			continue
		}
		mine := strings.EqualFold(l.Path[3], c.language)
		last := of[len(of)-1]
		if mine && len(of) == 3 && of[0] == "substitutions" && (last == "argNum" || last == "formatSpecifier") {
			continue // it comes and goes with the texts of its substitution
		}
		if n := len(l.Path) - 1; n > 4 && l.Path[n-1] == "stringUnit" && (last == "value" || last == "state") {
			var state string
			l, state, i = unitOf(d.leaves, i)
			if mine {
				c.key(&l, of[:len(of)-2])
			}
			if mine && state == "new" && !strings.EqualFold(c.source, c.language) {
				l.Kind = Null
			}
		}
		leaves = append(leaves, l)
	}
	d.leaves = slices.Clone(leaves) // of each string unit two were read
	return d, nil
}

// catalog is what is known of one.
type catalog struct {
	language, source string
	substituted      map[string]bool // by key and language in lower case
}

// localized is where in the localization of a language a leaf is.
func (c *catalog) localized(l Leaf) ([]string, bool) {
	is := len(l.Path) > 4 && len(l.lists) == 0 && l.Path[0] == "strings" && l.Path[2] == "localizations"
	if !is {
		return nil, false
	}
	return l.Path[4:], true
}

// unitOf puts the two leaves of a string unit together, of which the first is at an index, and tells its
// state and the index of the last.
func unitOf(leaves []Leaf, i int) (unit Leaf, state string, last int) {
	l := leaves[i]
	n := len(l.Path) - 1
	unit = l
	unit.Path = l.Path[:n:n]
	unit.Text = ""
	add := func(part Leaf) {
		if part.Path[n] == "value" {
			unit.Kind, unit.Text = part.Kind, part.Text
		} else {
			state = part.Text
		}
	}
	add(l)
	if i+1 < len(leaves) {
		next := leaves[i+1]
		other := len(next.Path) == n+1 && slices.Equal(next.Path[:n], unit.Path)
		if name := l.Path[n]; other && name != next.Path[n] && (next.Path[n] == "value" || next.Path[n] == "state") {
			add(next)
			unit.end = next.end
			i++
		}
	}
	return unit, state, i
}

// has reports whether a key has substitutions in a language.
func (c *catalog) has(key, language string) bool {
	return c.substituted[key+"\x00"+strings.ToLower(language)]
}

// key gives a unit its key, by the names that lead to it in a localization.
func (c *catalog) key(l *Leaf, at []string) {
	key := l.Path[1]
	switch {
	case len(at) == 0 && (c.has(key, l.Path[3]) || c.has(key, c.source)):
		key += "|==|string"
	case len(at) >= 3 && at[0] == "variations" && at[1] == "device":
		key, at = key+"|==|device."+at[2], at[3:]
	case len(at) >= 2 && at[0] == "substitutions":
		key, at = key+"|==|substitutions."+at[1], at[2:]
	}
	if len(at) == 3 && at[0] == "variations" && at[1] == "plural" {
		l.Form, at = at[2], nil
	}
	if len(at) == 0 {
		l.Key, l.Keyed = key, true
	}
}
