package androidxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// The independent reader: encoding/xml for the XML, and the compiler's rules for texts written down stage by stage (cut into stretches,
// trim, build), where the package itself goes over the bytes once.

// leafSeen is one leaf as a reader sees it.
type leafSeen struct {
	key, form string
	other     bool
	text      string
}

func (l leafSeen) String() string {
	return fmt.Sprintf("%s[%s] other=%v %q", l.key, l.form, l.other, l.text)
}

// ours lists the leaves that the package finds.
func ours(f *resource.File) []leafSeen {
	var all []leafSeen
	for e := range f.Entries() {
		all = append(all, leafSeen{e.Key, e.Form, e.Kind != resource.Text, e.Text})
	}
	return all
}

// strip is a stretch of text, or a tag.
type strip struct {
	tag  string
	text string
}

type oracle struct {
	src    []byte
	d      *xml.Decoder
	leaves []leafSeen
}

var entityName = regexp.MustCompile(`&([^#;&<>"'\s]+);`)

// readIndependently lists the leaves that encoding/xml leads to.
func readIndependently(src []byte) ([]leafSeen, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	o := &oracle{src: src, d: xml.NewDecoder(bytes.NewReader(src))}
	o.d.Entity = make(map[string]string)
	for _, m := range entityName.FindAllSubmatch(src, -1) {
		o.d.Entity[string(m[1])] = "&" + string(m[1]) + ";"
	}
	err := o.document()
	return o.leaves, err
}

func (o *oracle) document() error {
	for {
		t, err := o.d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := t.(xml.StartElement); ok {
			if start.Name.Local != "resources" || start.Name.Space != "" {
				return errors.New("another root")
			}
			if err := o.children(isTrue(start, "translatable")); err != nil {
				return err
			}
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

// children reads the elements inside <resources>.
func (o *oracle) children(translatable bool) error {
	for {
		t, err := o.d.RawToken()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			kind, _ := attr(t, "type")
			name, _ := attr(t, "name")
			if p, _ := attr(t, "product"); p != "" && p != "default" {
				name += "@" + p
			}
			free := translatable && isTrue(t, "translatable")
			raw, _ := attr(t, "name")
			switch {
			case t.Name.Space != "" || raw == "":
				_, err = o.value()
			case t.Name.Local == "string" || t.Name.Local == "item" && kind == "string":
				err = o.leaf(name, "", free)
			case t.Name.Local == "plurals" || t.Name.Local == "string-array":
				err = o.items(name, free, t.Name.Local == "string-array")
			default:
				_, err = o.value()
			}
			if err != nil {
				return err
			}
		}
	}
}

func (o *oracle) items(name string, free, counted bool) error {
	for n := 0; ; {
		t, err := o.d.RawToken()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			form, ok := attr(t, "quantity")
			if counted {
				form, ok = strconv.Itoa(n), true
			}
			if t.Name.Local != "item" || t.Name.Space != "" || !ok {
				if _, err := o.value(); err != nil {
					return err
				}
				continue
			}
			n++
			if err := o.leaf(name, form, free); err != nil {
				return err
			}
		}
	}
}

func (o *oracle) leaf(key, form string, free bool) error {
	strips, err := o.value()
	if err != nil {
		return err
	}
	l := leafSeen{key: key, form: form, other: !free}
	if !l.other {
		l.text, l.other = compiled(strips)
	}
	if l.other {
		l.text = ""
	}
	o.leaves = append(o.leaves, l)
	return nil
}

// value reads up to the end tag of the element that was just entered.
func (o *oracle) value() ([]strip, error) {
	var strips []strip
	var names []xml.Name
	for {
		from := o.d.InputOffset()
		t, err := o.d.RawToken()
		if err != nil {
			return nil, err
		}
		tag := string(o.src[from:o.d.InputOffset()])
		switch t := t.(type) {
		case xml.CharData:
			if n := len(strips); n > 0 && strips[n-1].tag == "" {
				strips[n-1].text += string(t)
			} else {
				strips = append(strips, strip{text: string(t)})
			}
		case xml.StartElement:
			names = append(names, t.Name)
			strips = append(strips, strip{tag: tag})
		case xml.EndElement:
			if len(names) == 0 {
				return strips, nil
			}
			if names[len(names)-1] != t.Name {
				return nil, errors.New("not balanced")
			}
			names = names[:len(names)-1]
			if tag != "" {
				strips = append(strips, strip{tag: tag})
			}
		}
	}
}

var spanTag = regexp.MustCompile(`^</?[^\s/>:]+[\s/>]`)

// compiled turns a value into its text, the compiler's way.
func compiled(strips []strip) (text string, reference bool) {
	styled, tagged := false, false
	var stretches []int
	raw := ""
	for i, s := range strips {
		if s.tag != "" {
			tagged = true
			styled = styled || spanTag.MatchString(s.tag)
			continue
		}
		raw += s.text
		if s.text != "" {
			stretches = append(stretches, i)
		}
	}
	if !tagged && refersTo.MatchString(strings.Trim(raw, " \t\r\n")) {
		return "", true
	}
	if !styled && len(stretches) > 0 {
		first, last := &strips[stretches[0]], &strips[stretches[len(stretches)-1]]
		first.text = strings.TrimLeft(first.text, " \t\r\n")
		last.text = strings.TrimRight(last.text, " \t\r\n")
	}
	b := textBuilder{}
	for _, s := range strips {
		if s.tag == "" {
			b.add([]rune(s.text))
			continue
		}
		b.out.WriteString(s.tag)
		if spanTag.MatchString(s.tag) {
			b.quoted, b.spaced = false, false
		}
	}
	return b.out.String(), false
}

var refersTo = regexp.MustCompile(`^(@(null|empty)|@\+?\*?([\pL_][\pL\pM\pN_.-]*:)?[\pL_][\pL\pM\pN_.-]*/[\pL_][\pL\pM\pN_.-]*|\?\+?\*?([\pL_][\pL\pM\pN_.-]*:)?(attr/)?[\pL_][\pL\pM\pN_.-]*)$`)

// textBuilder is the compiler's string builder.
type textBuilder struct {
	out            strings.Builder
	quoted, spaced bool
}

func (b *textBuilder) add(text []rune) {
	for i := 0; i < len(text); i++ {
		r := text[i]
		if !b.quoted && strings.ContainsRune(" \t\r\n", r) {
			if !b.spaced {
				b.out.WriteByte(' ')
			}
			b.spaced = true
			continue
		}
		b.spaced = false
		switch {
		case r == '"':
			b.quoted = !b.quoted
		case r == '\\' && i+1 == len(text):
		case r == '\\':
			i++
			switch text[i] {
			case 'n':
				b.out.WriteByte('\n')
			case 't':
				b.out.WriteByte('\t')
			case 'u':
				i += b.unicode(text[i+1:])
			default:
				b.out.WriteRune(text[i])
			}
		default:
			b.out.WriteRune(r)
		}
	}
}

// unicode writes what follows \u and returns how much of it that was.
func (b *textBuilder) unicode(text []rune) int {
	one, ok := fourDigits(text)
	if !ok {
		b.out.WriteString(`\u`)
		return 0
	}
	if utf16.IsSurrogate(one) {
		if len(text) > 5 && text[4] == '\\' && text[5] == 'u' {
			two, ok := fourDigits(text[6:])
			if r := utf16.DecodeRune(one, two); ok && r != 0xFFFD {
				b.out.WriteRune(r)
				return 10
			}
		}
		b.out.WriteString(`\u`)
		return 0
	}
	b.out.WriteRune(one)
	return 4
}

func fourDigits(text []rune) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil && !strings.ContainsAny(string(text[:4]), "+-_")
}

// agree holds a file against the independent reader. Where that cannot read a file which the package accepts, it says why.
func agree(t testing.TB, src []byte) {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, src)
	if err != nil {
		return
	}
	theirs, err := readIndependently(src)
	if err != nil {
		t.Fatalf("accepted, and encoding/xml refuses it: %v\n%q", err, src)
	}
	mine := ours(f)
	for i := range mine { // a line end in a name is a reference, which the reader above cannot tell from white space
		mine[i].key = strings.NewReplacer("\n", " ", "\t", " ").Replace(mine[i].key)
		mine[i].form = strings.NewReplacer("\n", " ", "\t", " ").Replace(mine[i].form)
	}
	for i := range max(len(mine), len(theirs)) {
		switch {
		case i >= len(mine):
			t.Fatalf("missing: %v\n%q", theirs[i], src)
		case i >= len(theirs):
			t.Fatalf("too much: %v\n%q", mine[i], src)
		case mine[i] != theirs[i]:
			t.Fatalf("leaf %d:\n have %v\n want %v\n%q", i, mine[i], theirs[i], clipped(src))
		}
	}
}

func clipped(src []byte) []byte { return src[:min(len(src), 2000)] }

func TestOracleOnEdges(t *testing.T) {
	for _, e := range resourcetest.Edges(t) {
		t.Run(e.File, func(t *testing.T) { agree(t, e.Src) })
	}
}

func TestOracleOnCorpus(t *testing.T) {
	n := 0
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		t.Run(r.Name, func(t *testing.T) { agree(t, r.Src) })
		f, err := resource.Parse(Grammar, resource.Keys{}, r.Src)
		if err == nil {
			n += len(ours(f))
		}
	}
	if n < 15000 {
		t.Errorf("only %d leaves compared", n)
	}
}
