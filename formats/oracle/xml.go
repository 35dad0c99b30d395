package oracle

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// readAndroid reads a file of Android string resources. Resources of other kinds are leaves without a key.
func readAndroid(src []byte) (*document, error) { return readResources(src, compiled) }

// readCompose reads a file of string resources of Compose Multiplatform.
func readCompose(src []byte) (*document, error) { return readResources(src, composed) }

func readResources(src []byte, compiled func([]strip) (string, bool)) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	text := string(src)
	a := androidReader{compiled: compiled, src: strings.TrimPrefix(text, mark)}
	a.offset = len(text) - len(a.src)
	if strings.Trim(a.src, " \t\r\n") == "" {
		return &document{text: text}, nil
	}
	a.d = xml.NewDecoder(bytes.NewReader(src[a.offset:]))
	a.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8, by any name
	a.d.Entity = make(map[string]string)
	for _, m := range entityName.FindAllStringSubmatch(a.src, -1) {
		a.d.Entity[m[1]] = "&" + m[1] + ";"
	}
	if err := a.document(); err != nil {
		return nil, err
	}
	return &document{text: text, leaves: a.leaves}, nil
}

// entityName finds references by name. What represents itself is not expanded, so that no file can grow.
var entityName = regexp.MustCompile(`&([^#;&<>"'\s]+);`)

type androidReader struct {
	walk
	compiled func([]strip) (text string, reference bool)
	src      string
	offset   int // of src in the file
	d        *xml.Decoder
	leaves   []Leaf
}

func (a *androidReader) token() (xml.Token, int, error) {
	from := int(a.d.InputOffset())
	t, err := a.d.RawToken()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("encoding/xml: %w", err)
	}
	return t, from, err
}

func (a *androidReader) document() error {
	roots := 0
	for {
		t, _, err := a.token()
		if err == io.EOF {
			if roots != 1 {
				return errors.New("the document has no root")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if roots++; roots > 1 || t.Name.Local != "resources" || t.Name.Space != "" {
				return errors.New("another root than one <resources>")
			}
			if err := a.children(isTrue(t, "translatable")); err != nil {
				return err
			}
		case xml.EndElement:
			return errors.New("an end tag behind the root")
		}
	}
}

// attr returns an attribute. White space in it is blanks, which encoding/xml leaves to others.
func attr(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return strings.NewReplacer("\n", " ", "\t", " ").Replace(a.Value), true
		}
	}
	return "", false
}

func isTrue(e xml.StartElement, name string) bool {
	v, ok := attr(e, name)
	return !ok || !strings.EqualFold(strings.TrimSpace(v), "false")
}

// element is what is known of an element when its start tag was read.
type element struct {
	start xml.StartElement
	at    int  // where its content begins; in front of the slash where it has none
	empty bool // <string/>: what is around the content changes when it gets some
}

func (a *androidReader) opened(start xml.StartElement) element {
	at := int(a.d.InputOffset())
	if tag, ok := strings.CutSuffix(a.src[:at], "/>"); ok {
		return element{start, len(tag), true}
	}
	return element{start, at, false}
}

// children reads the elements inside <resources>.
func (a *androidReader) children(translatable bool) error {
	for {
		t, _, err := a.token()
		if err != nil {
			return ended(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local != "resources" || t.Name.Space != "" {
				return errors.New("tags that do not match")
			}
			return nil
		case xml.StartElement:
			if err := a.resource(a.opened(t), translatable); err != nil {
				return err
			}
		}
	}
}

func (a *androidReader) resource(e element, translatable bool) error {
	t := e.start
	kind, _ := attr(t, "type")
	raw, _ := attr(t, "name")
	name := raw
	if p, _ := attr(t, "product"); p != "" && p != "default" {
		name += "@" + p
	}
	free := translatable && isTrue(t, "translatable")
	a.in(t.Name.Space+":"+t.Name.Local, false)
	defer a.out()
	a.in(name, false)
	defer a.out()
	switch {
	case t.Name.Space != "" || raw == "":
	case t.Name.Local == "string" || t.Name.Local == "item" && kind == "string":
		return a.text(e, name, "", free)
	case t.Name.Local == "plurals" || t.Name.Local == "string-array":
		return a.items(e, name, free, t.Name.Local == "string-array")
	}
	_, end, err := a.value(t.Name)
	if err != nil {
		return err
	}
	a.add(Leaf{Kind: Other, Text: a.src[e.at:end]}, e, end)
	return nil
}

func (a *androidReader) add(l Leaf, e element, end int) {
	w := a.leaf(l.Kind, l.Text, e.at+a.offset, end+a.offset)
	w.loose = e.empty
	w.Key, w.Form, w.Keyed = l.Key, l.Form, l.Keyed
	a.leaves = append(a.leaves, w)
}

func (a *androidReader) items(of element, name string, free, counted bool) error {
	for n, seen := 0, false; ; {
		t, from, err := a.token()
		if err != nil {
			return ended(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name != of.start.Name {
				return errors.New("tags that do not match")
			}
			if !seen {
				a.add(Leaf{Kind: Empty}, of, max(of.at, from))
			}
			return nil
		case xml.StartElement:
			e := a.opened(t)
			seen = true
			form, ok := attr(t, "quantity")
			if counted {
				form, ok = strconv.Itoa(n), true
			}
			if t.Name.Local != "item" || t.Name.Space != "" || !ok {
				_, end, err := a.value(t.Name)
				if err != nil {
					return err
				}
				a.in(t.Name.Local, false)
				a.add(Leaf{Kind: Other, Text: a.src[e.at:end]}, e, end)
				a.out()
				continue
			}
			n++
			a.in(form, counted)
			if err := a.text(e, name, form, free); err != nil {
				return err
			}
			a.out()
		}
	}
}

func (a *androidReader) text(e element, key, form string, free bool) error {
	strips, end, err := a.value(e.start.Name)
	if err != nil {
		return err
	}
	end = max(end, e.at)
	l := Leaf{Key: key, Form: form, Keyed: true, Kind: Text}
	var reference bool
	if l.Text, reference = a.compiled(strips); reference || !free {
		l.Kind, l.Text = Other, a.src[e.at:end]
	}
	a.add(l, e, end)
	return nil
}

// value reads up to the end tag of the element that was just entered, and returns where that begins.
func (a *androidReader) value(of xml.Name) ([]strip, int, error) {
	var strips []strip
	open := []xml.Name{of}
	for {
		t, from, err := a.token()
		if err != nil {
			return nil, 0, ended(err)
		}
		to := int(a.d.InputOffset())
		switch t := t.(type) {
		case xml.CharData:
			if n := len(strips); n > 0 && strips[n-1].tag == "" {
				strips[n-1].text += string(t)
			} else {
				strips = append(strips, strip{text: string(t)})
			}
		case xml.StartElement:
			open = append(open, t.Name)
			strips = append(strips, strip{tag: a.src[from:to]})
		case xml.EndElement:
			if open[len(open)-1] != t.Name {
				return nil, 0, errors.New("tags that do not match")
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return strips, from, nil
			}
			if to > from { // the end of <br/> has no bytes of its own
				strips = append(strips, strip{tag: a.src[from:to]})
			}
		}
	}
}

func ended(err error) error {
	if err == io.EOF {
		return errors.New("the document ends before its root does")
	}
	return err
}

// readResx reads a .NET resource file with encoding/xml: the <value> of each <data>. Typed data has all that is in
// the element, as it is spelled.
func readResx(src []byte) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	d := &document{text: strings.TrimPrefix(string(src), mark)}
	if len(d.text) < len(src) {
		d.encoding = "a byte order mark"
	}
	r := resxReader{src: d.text, d: xml.NewDecoder(strings.NewReader(d.text))}
	for {
		t, err := r.d.Token()
		if err == io.EOF {
			d.leaves = r.leaves
			return d, nil
		}
		if err != nil {
			return nil, fmt.Errorf("encoding/xml: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if r.depth++; r.depth == 1 && t.Name.Local != "root" {
				return nil, errors.New("the root is not <root>")
			}
			if r.depth == 2 && t.Name.Local == "data" && t.Name.Space == "" {
				r.depth--
				if err := r.data(t); err != nil {
					return nil, fmt.Errorf("encoding/xml: %w", err)
				}
			}
		case xml.EndElement:
			r.depth--
		}
	}
}

type resxReader struct {
	src    string
	d      *xml.Decoder
	depth  int
	leaves []Leaf
}

// data reads an entry whose start tag was read.
func (r *resxReader) data(start xml.StartElement) error {
	l := Leaf{Kind: Text, at: int(r.d.InputOffset())}
	from := l.at
	named := false
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "name":
			named = true
			l.Key, l.Keyed, l.Path = a.Value, true, []string{a.Value}
			if strings.HasPrefix(a.Value, ">>") { // the designer's
				l.Kind = Other
			}
		case "type", "mimetype":
			if a.Name.Space == "" && !(a.Name.Local == "type" && strings.HasPrefix(a.Value, "System.String,")) {
				l.Kind = Other
			}
		}
	}
	values := 0
	for {
		at := int(r.d.InputOffset())
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			if values == 0 || l.Kind == Other {
				l.Kind, l.at, l.end = Other, from, at
				l.Text = r.src[min(from, at):at]
			}
			if named {
				r.leaves = append(r.leaves, l)
			}
			return nil
		case xml.StartElement:
			if t.Name.Local != "value" || values > 0 {
				if err := r.d.Skip(); err != nil {
					return err
				}
				continue
			}
			values++
			if err := r.value(&l); err != nil {
				return err
			}
		}
	}
}

// value reads the content of a <value> whose start tag was read.
func (r *resxReader) value(l *Leaf) error {
	l.at = int(r.d.InputOffset())
	if strings.HasSuffix(r.src[:l.at], "/>") {
		l.at -= len("/>")
		l.end = l.at
		_, err := r.d.Token()
		return err
	}
	for {
		at := int(r.d.InputOffset())
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.CharData:
			l.Text += string(t)
		case xml.StartElement, xml.ProcInst:
			l.Kind = Other
			if _, is := t.(xml.StartElement); is {
				if err := r.d.Skip(); err != nil {
					return err
				}
			}
		case xml.EndElement:
			l.end = at
			return nil
		}
	}
}
