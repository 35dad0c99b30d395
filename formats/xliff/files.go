package xliff

import (
	"errors"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
)

// separator is between a file's original and the id of a unit in it, as between a context and a msgid.
const separator = "␄"

// xcode is the tool that a document of Xcode's names.
const xcode = "com.apple.dt.xcode"

// Separator is between the names of a key.
func (grammar) Separator() string { return separator }

// apart reports whether ids count within a <file> alone, as in what Xcode exports: InfoPlist.strings of each target has
// the same ones. In other tools' documents ids are unique, and Symfony reads all files as one.
func (g grammar) apart(src string) bool {
	if g.symfony || !strings.Contains(src, xcode) {
		return false
	}
	for s := xmlscan.New(src); ; {
		t, err := s.Next()
		if err != nil || t.Kind == xmlscan.Nothing {
			return false
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		if tool, _, _ := t.Attribute(src, "tool-id"); t.Name == "tool" && tool == xcode {
			return true
		}
		if t.Name != "xliff" && t.Name != "file" && t.Name != "header" {
			if _, err := s.Skip(); err != nil {
				return false
			}
		}
	}
}

// opened enters a <file> whose start tag was read.
func (s *scanner) opened(t *xmlscan.Token) error {
	_, name, _ := t.Attribute(s.src, "original")
	if name.Len() > resource.MaxName {
		return &resource.SyntaxError{Offset: int(t.At.Start), Msg: "a name that is too long"}
	}
	s.file = len(s.nodes)
	s.nodes = append(s.nodes, resource.Node{Kind: resource.Map, Name: name, Value: t.At, Whole: t.At,
		End: int32(s.file + 1)})
	if t.Closed {
		s.file = 0
	}
	return nil
}

// ended closes the <file> that the scanner is in.
func (s *scanner) ended(t *xmlscan.Token) {
	if n := &s.nodes[s.file]; s.file > 0 && t.Name == "file" {
		n.Value.End, n.Whole.End, n.End = t.At.End, t.At.End, int32(len(s.nodes))
		s.file = 0
	}
}

// file spells a <file> with units: laid out as its model, in the language that the other ones are in.
func (g grammar) file(f *resource.File, n resource.New, indent, newline string) (string, error) {
	if newline == "" {
		newline = "\n"
	}
	head, tail, inner, err := around(f, n, indent, newline)
	if err != nil {
		return "", err
	}
	out := head
	for _, unit := range n.Children {
		entry, err := g.entry(unit, false, inner, newline)
		if err != nil {
			return "", err
		}
		out += inner + entry + newline
	}
	return out + tail, nil
}

// around is what is around the units of a new <file>, and their indentation.
func around(f *resource.File, n resource.New, indent, newline string) (head, tail, inner string, err error) {
	if n.Like != nil {
		from, of := n.Like.File.Source(), n.Like.File.Node(n.Like.Node)
		if first := n.Like.Node + 1; int(of.End) > first {
			start, alone := xmlscan.LineStart(from, int(n.Like.File.Node(first).Whole.Start))
			end := int(n.Like.File.Node(int(of.End) - 1).Whole.End)
			if rest := strings.IndexByte(from[end:], '\n'); alone && rest >= 0 {
				inner = from[start:n.Like.File.Node(first).Whole.Start]
				head = translatedTo(from[of.Whole.Start:start], languageOf(f))
				ends := strings.NewReplacer("\r\n", newline, "\n", newline)
				return ends.Replace(head), ends.Replace(from[end+rest+1 : of.Whole.End]), inner, nil
			}
		}
	}
	name, err := xmlscan.AttributeValue(n.Name, '"')
	switch {
	case err != nil:
		return "", "", "", err
	case len(name) > resource.MaxName:
		return "", "", "", errors.New("the name is too long")
	}
	head = translatedTo(`<file original=`+name+` source-language="en" datatype="plaintext">`, languageOf(f)) + newline +
		indent + "  <body>" + newline
	return head, indent + "  </body>" + newline + indent + "</file>", indent + "    ", nil
}

// languageOf is the target language of a document; "" where it says none.
func languageOf(f *resource.File) string {
	for i := range f.Children(0) {
		if n := f.Node(i); n.Kind == resource.Map {
			s := xmlscan.New(f.Source()[:n.Whole.End])
			s.Seek(int(n.Whole.Start))
			if t, err := s.Next(); err == nil {
				language, _, _ := t.Attribute(f.Source(), "target-language")
				return language
			}
		}
	}
	return ""
}

// translatedTo is what begins with the start tag of a <file>, whose target is in another language.
func translatedTo(src, language string) string {
	t, err := xmlscan.New(src).Next()
	if err != nil || language == "" {
		return src
	}
	_, from, has := t.Attribute(src, "source-language")
	_, to, there := t.Attribute(src, "target-language")
	switch {
	case there:
		return src[:to.Start] + `"` + language + `"` + src[to.End:]
	case has:
		return src[:from.End] + ` target-language="` + language + `"` + src[from.End:]
	}
	return src
}

// Flags say that Xcode's texts are formats of Objective-C.
func (grammar) Flags(f *resource.File, i int) string {
	if f.Node(i).Parent > 0 {
		return "objc-format"
	}
	return ""
}
