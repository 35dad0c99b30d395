package oracle

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"howett.net/plist"
)

// plainFormat is a format that has only variables, and so nothing to translate.
var plainFormat = regexp.MustCompile(
	`(<key\s*>NSStringLocalizedFormatKey</key\s*>(?:\s|<!--(?:[^-]|-[^-])*-->)*<string\s*>)` +
		`%(?:\d+\$)?#@[^@%<&]+@(?: %(?:\d+\$)?#@[^@%<&]+@)*(</string\s*>)`)

// readStringsdict reads Apple's plural dictionaries with encoding/xml, which knows where things are, and holds the
// texts against what howett.net/plist reads.
func readStringsdict(src []byte) (*document, error) {
	if err := checkUTF8(src); err != nil {
		return nil, err
	}
	d := &document{text: strings.TrimPrefix(string(src), mark)}
	if len(d.text) < len(src) {
		d.encoding = "a byte order mark"
	}
	d.text = plainFormat.ReplaceAllString(d.text, "$1$2")
	r := dictReader{src: d.text, d: xml.NewDecoder(strings.NewReader(d.text))}
	if err := r.file(); err != nil {
		return nil, err
	}
	var all map[string]any
	if _, err := plist.Unmarshal([]byte(d.text), &all); err != nil {
		return nil, fmt.Errorf("howett.net/plist: %w", err)
	}
	last := make(map[string]string)
	for _, l := range r.leaves {
		if l.Kind == Text {
			last[fmt.Sprintf("%q", l.Path)] = l.Text
		}
	}
	for _, l := range r.leaves {
		var at any = all
		for _, name := range l.Path {
			in, _ := at.(map[string]any)
			at = in[name]
		}
		if text, is := at.(string); l.Kind == Text && last[fmt.Sprintf("%q", l.Path)] == l.Text && is && text != l.Text {
			return nil, fmt.Errorf("howett.net/plist reads %q, encoding/xml %q", text, l.Text)
		}
	}
	d.leaves = r.leaves
	return d, nil
}

type dictReader struct {
	src    string
	d      *xml.Decoder
	leaves []Leaf
}

// start is the next start tag, and where it is; nil at an end tag.
func (r *dictReader) start() (*xml.StartElement, int, error) {
	for {
		at := int(r.d.InputOffset())
		t, err := r.d.Token()
		if err == io.EOF {
			return nil, at, err
		}
		if err != nil {
			return nil, at, fmt.Errorf("encoding/xml: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			return &t, at, nil
		case xml.EndElement:
			return nil, at, nil
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				return nil, at, errors.New("text outside of the values")
			}
		}
	}
}

func (r *dictReader) file() error {
	for _, name := range []string{"plist", "dict"} {
		t, _, err := r.start()
		if err != nil || t == nil || t.Name.Local != name {
			return fmt.Errorf("it has no <%s>: %w", name, errors.Join(err))
		}
	}
	if _, err := r.dict(nil); err != nil {
		return err
	}
	for {
		switch t, _, err := r.start(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case t != nil:
			return errors.New("it has more than a <dict>")
		}
	}
}

// dict reads the members of a dictionary at a path, its end tag included, and returns what type of variable it says
// to be.
func (r *dictReader) dict(path []string) (spec string, err error) {
	for {
		t, _, err := r.start()
		if err != nil || t == nil {
			return spec, err
		}
		var name string
		if t.Name.Local != "key" {
			return spec, errors.New("a value without a <key>")
		}
		if err := r.d.DecodeElement(&name, t); err != nil {
			return spec, fmt.Errorf("encoding/xml: %w", err)
		}
		value, at, err := r.start()
		if err != nil {
			return spec, err
		}
		if value == nil || value.Name.Local == "key" {
			return spec, errors.New("a <key> without a value")
		}
		said, err := r.value(append(slices.Clone(path), name), value, at)
		if err != nil {
			return spec, err
		}
		if name == "NSStringFormatSpecTypeKey" {
			spec = said
		}
	}
}

// value reads one whose start tag was read, and returns the text that it is.
func (r *dictReader) value(path []string, start *xml.StartElement, at int) (text string, err error) {
	l := Leaf{Path: path, Keyed: true, Kind: Other, at: at}
	if l.Key = strings.Join(path, "|==|"); len(path) == 3 {
		l.Key, l.Form = strings.Join(path[:2], "|==|"), path[2]
	}
	name := path[len(path)-1]
	first := len(r.leaves)
	if start.Name.Local == "dict" && len(path) < 3 {
		spec, err := r.dict(path)
		if err == nil && len(path) == 2 && spec != "NSStringPluralRuleType" {
			l.end = int(r.d.InputOffset())
			l.Text = r.src[l.at:l.end]
			r.leaves = append(r.leaves[:first], l)
		}
		return "", err
	}
	if start.Name.Local == "string" {
		l.at = int(r.d.InputOffset())
		if strings.HasSuffix(r.src[:l.at], "/>") {
			l.at -= len("/>")
		}
		v := resxReader{src: r.src, d: r.d}
		l.Kind = Text
		if err := v.value(&l); err != nil {
			return "", fmt.Errorf("encoding/xml: %w", err)
		}
	} else if err := r.d.Skip(); err != nil {
		return "", fmt.Errorf("encoding/xml: %w", err)
	}
	text = l.Text
	if l.Kind == Other {
		l.at, l.end = at, int(r.d.InputOffset())
		l.Text = r.src[at:l.end]
	}
	nothing := len(path) == 2 && name == "NSStringLocalizedFormatKey" && l.Kind == Text && l.at >= l.end
	category := slices.Contains([]string{"zero", "one", "two", "few", "many", "other"}, name)
	if !nothing && (len(path) < 3 || category) {
		r.leaves = append(r.leaves, l)
	}
	return text, nil
}
