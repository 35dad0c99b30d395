package yamlfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/formats/resource"
)

// agree holds what we read against an independent reader: the same tree, the same names and texts on the same lines,
// and no text that the other takes for something else. What we accept it has to accept.
func agree(t testing.TB, f *resource.File) {
	t.Helper()
	src := f.Bytes()
	if bytes.LastIndex(src, []byte("\uFEFF")) > 0 {
		return // the reader loses some byte order marks inside the text
	}
	// The reader refuses version 1.2, which changes nothing in what is compared.
	decoder := yaml.NewDecoder(bytes.NewReader(version.ReplaceAll(src, []byte("${1}1"))))
	c := comparison{f: f, lines: !bytes.ContainsAny(src, "\u2028\u2029")}
	next := 1
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && strings.Contains(err.Error(), "cannot construct") {
			return // a tag that does not fit its scalar: no text to us
		}
		if err != nil {
			t.Fatalf("the other reader refuses this: %v\n%s", err, clip(src))
		}
		top := doc.Content[0]
		if top.Kind == yaml.ScalarNode && top.Tag == "!!null" && top.Value == "" {
			continue
		}
		if next, err = c.container(0, next, top); err != nil {
			t.Fatalf("%v\n%s", err, clip(src))
		}
	}
	if next != f.Len() {
		t.Fatalf("we read %d nodes, the other reader as many as %d\n%s", f.Len(), next, clip(src))
	}
}

func clip(b []byte) string { return fmt.Sprintf("%q", b[:min(len(b), 2000)]) }

var version = regexp.MustCompile(`(?m)^(\x{FEFF}?%YAML[ \t]+1\.)2`)

type comparison struct {
	f     *resource.File
	lines bool
}

// property reports whether a node of theirs begins with an anchor or a tag, which we count to no value.
func (c *comparison) property(n *yaml.Node) bool {
	lines := strings.Split(c.f.Source(), "\n")
	at := strings.TrimPrefix(lines[n.Line-1], "\uFEFF")
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(at)
		at = at[size:]
	}
	return at != "" && (at[0] == '&' || at[0] == '!')
}

// container compares the children of node i from node next on with those of theirs, and returns the node behind them.
func (c *comparison) container(i, next int, theirs *yaml.Node) (int, error) {
	n := c.f.Node(i)
	hides := n.Parent == 0 && int(n.End) > i+1 // what describes a message, which may be there twice
	for k := i + 1; k < int(n.End); k++ {
		hides = hides && c.f.Name(k) == "message"
	}
	switch {
	case theirs.Kind == yaml.MappingNode && n.Kind == resource.Map:
		for k := 0; k < len(theirs.Content); k += 2 {
			if hides && theirs.Content[k].Value != "message" {
				continue
			}
			if next >= int(n.End) {
				return 0, fmt.Errorf("node %d: name %q of the other reader is missing", i, theirs.Content[k].Value)
			}
			key, mine := theirs.Content[k], c.f.Node(next)
			if key.Kind == yaml.ScalarNode && key.Value != c.f.Name(next) {
				return 0, fmt.Errorf("node %d is named %q, %q to the other reader", next, c.f.Name(next), key.Value)
			}
			if line, _ := c.f.Position(int(mine.Name.Start)); c.lines && line != key.Line && !c.property(key) {
				return 0, fmt.Errorf("node %d is named on line %d, %d to the other reader", next, line, key.Line)
			}
			if key.Kind != yaml.ScalarNode && (mine.Kind != resource.Map || int(mine.End) != next+1) {
				return 0, fmt.Errorf("node %d under a key that is a collection is looked into", next)
			}
			var err error
			if next, err = c.node(next, theirs.Content[k+1]); err != nil {
				return 0, err
			}
		}
	case theirs.Kind == yaml.SequenceNode && n.Kind == resource.List:
		for _, item := range theirs.Content {
			if next >= int(n.End) {
				return 0, fmt.Errorf("node %d: item %q of the other reader is missing", i, item.Value)
			}
			var err error
			if next, err = c.node(next, item); err != nil {
				return 0, err
			}
		}
	default:
		return 0, fmt.Errorf("node %d is of kind %d, %v to the other reader", i, n.Kind, theirs.Kind)
	}
	return next, nil
}

func (c *comparison) node(i int, theirs *yaml.Node) (int, error) {
	n := c.f.Node(i)
	if theirs.Kind == yaml.AliasNode {
		if n.Ref == 0 {
			return 0, fmt.Errorf("node %d is an alias to the other reader", i)
		}
		if n.Kind == resource.Text && c.f.Text(i) != theirs.Alias.Value {
			return 0, fmt.Errorf("node %d: alias reads %q, %q to the other reader", i, c.f.Text(i), theirs.Alias.Value)
		}
		return i + 1, nil
	}
	if n.Ref != 0 {
		return 0, fmt.Errorf("node %d is no alias to the other reader", i)
	}
	value := n.Value.Of(c.f.Source())
	if n.Kind == resource.Map && int(n.End) == i+1 && !strings.HasPrefix(value, "{") {
		return i + 1, nil // not looked into
	}
	if n.Kind == resource.Map && int(n.End) == i+1 && len(theirs.Content) > 0 {
		return i + 1, nil // nor this one
	}
	if n.Kind > resource.Other {
		next, err := c.container(i, i+1, theirs)
		if err == nil && next != int(n.End) {
			err = fmt.Errorf("node %d has more entries than to the other reader", i)
		}
		return next, err
	}
	if theirs.Kind != yaml.ScalarNode {
		return 0, fmt.Errorf("node %d is a scalar, %v to the other reader", i, theirs.Kind)
	}
	tag := theirs.ShortTag()
	switch {
	case n.Kind == resource.Text && (c.f.Text(i) != theirs.Value || tag != "!!str"):
		return 0, fmt.Errorf("node %d reads %q, %s %q to the other reader", i, c.f.Text(i), tag, theirs.Value)
	case n.Kind == resource.Null && tag != "!!null":
		return 0, fmt.Errorf("node %d is null, %s %q to the other reader", i, tag, theirs.Value)
	case n.Kind == resource.Other && tag == "!!null" && theirs.Style&yaml.TaggedStyle == 0:
		return 0, fmt.Errorf("node %d is %q, null to the other reader", i, value)
	}
	if line, _ := c.f.Position(int(n.Value.Start)); c.lines && value != "" &&
		line != theirs.Line && !c.property(theirs) {
		return 0, fmt.Errorf("node %d stands on line %d, %d to the other reader", i, line, theirs.Line)
	}
	return i + 1, nil
}
