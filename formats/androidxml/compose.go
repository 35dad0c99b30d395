package androidxml

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

const header = `<?xml version="1.0" encoding="utf-8"?>`

// Compose writes a file of these entries, with the attributes of their models and their notes as comments.
func (g grammar) Compose(top []resource.New) ([]byte, error) {
	b := builder{dialect: g.dialect, newline: "\n", unit: "  ", quote: '"', composing: true}
	var body strings.Builder
	for i := range top {
		n := &top[i]
		b.note(&body, n.Note, b.unit)
		body.WriteString(b.unit)
		if err := b.entry(&body, n, b.unit); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		body.WriteString("\n")
	}
	var out strings.Builder
	out.WriteString(header + "\n<resources")
	for _, prefix := range b.declared {
		out.WriteString(" xmlns:" + prefix + `="` + b.uris[prefix] + `"`)
	}
	out.WriteString(">\n" + body.String() + "</resources>\n")
	return []byte(out.String()), nil
}

// builder writes new entries.
type builder struct {
	dialect   *dialect
	scope     scope
	newline   string // "" puts an entry on one line
	unit      string // of indentation
	quote     byte   // around attributes
	known     bool   // quoted is as the neighbours have it
	quoted    bool
	composing bool

	declared []string          // prefixes for the root of a composed file
	uris     map[string]string // their namespaces
}

// note writes a comment on lines of its own.
func (b *builder) note(out *strings.Builder, note, indent string) {
	if strings.TrimSpace(note) == "" || writable(note) != nil {
		return
	}
	for strings.Contains(note, "--") { // a comment cannot hold it
		note = strings.ReplaceAll(note, "--", "- -")
	}
	out.WriteString(indent + "<!-- ")
	for i, line := range strings.Split(strings.TrimSpace(note), "\n") {
		if i > 0 {
			out.WriteString(b.newline + indent + "     ")
		}
		out.WriteString(strings.TrimSpace(line))
	}
	out.WriteString(" -->" + b.newline)
}

// entry writes one child of <resources>, whose first line is indented already.
func (b *builder) entry(out *strings.Builder, n *resource.New, indent string) error {
	switch n.Kind {
	case resource.Text:
		return b.leaf(out, n, "string")
	case resource.Forms:
		return b.forms(out, n, indent)
	}
	return errors.New("resources of Android have no nesting; use a flat key")
}

// forms writes plurals or a string-array with all its items.
func (b *builder) forms(out *strings.Builder, n *resource.New, indent string) error {
	kind := "plurals"
	items := n.Children
	likeArray := n.Like != nil && n.Like.File.Node(n.Like.Node).Style&styleArray != 0
	if len(items) > 0 && isIndex(items[0].Name) || len(items) == 0 && likeArray {
		kind = "string-array"
		var err error
		if items, err = b.whole(n); err != nil {
			return err
		}
	}
	if kind == "plurals" && slices.ContainsFunc(items, func(n resource.New) bool { return isIndex(n.Name) }) {
		return errors.New("it has plural quantities and counted items at once")
	}
	start, err := b.startTag(n, kind)
	if err != nil {
		return err
	}
	out.WriteString(start + ">")
	for i := range items {
		out.WriteString(b.newline)
		if b.newline != "" {
			b.note(out, b.itemNote(&items[i]), indent+b.unit)
			out.WriteString(indent + b.unit)
		}
		if err := b.leaf(out, &items[i], "item"); err != nil {
			return fmt.Errorf("item %s: %w", items[i].Name, err)
		}
	}
	if b.newline != "" {
		out.WriteString(b.newline + indent)
	}
	out.WriteString("</" + kind + ">")
	return nil
}

func (b *builder) itemNote(n *resource.New) string {
	if b.composing {
		return n.Note
	}
	return ""
}

// whole returns the items of an array in order. What is missing is what its model has there and is not text; when a
// push is composed, or a service's export, an unknown item is @null, so that the others keep their indexes.
func (b *builder) whole(n *resource.New) ([]resource.New, error) {
	var items []resource.New
	for _, c := range n.Children {
		index, err := strconv.Atoi(c.Name)
		if err != nil || index < len(items) {
			return nil, fmt.Errorf("%q among the items of a string-array, which are counted from 0", c.Name)
		}
		for len(items) < index {
			item, ok := modelItem(n.Like, len(items))
			if !ok && !b.composing || index > 1<<16 {
				return nil, fmt.Errorf("item %d is missing, and an array is whole or absent", len(items))
			}
			items = append(items, item)
		}
		items = append(items, c)
	}
	return items, nil
}

// modelItem is the item of an array that is not text, as its model has it.
func modelItem(like *resource.Model, index int) (resource.New, bool) {
	n := resource.New{Kind: resource.Other, Name: strconv.Itoa(index)}
	if like == nil {
		return n, false
	}
	count := 0
	for c := range like.File.Children(like.Node) {
		if count == index && like.File.Node(c).Kind == resource.Other {
			n.Like = &resource.Model{File: like.File, Node: c}
			return n, true
		}
		count++
	}
	return n, false
}

// leaf writes a string, or an item of plurals or an array, with its value.
func (b *builder) leaf(out *strings.Builder, n *resource.New, kind string) error {
	start, err := b.startTag(n, kind)
	if err != nil {
		return err
	}
	raw, missing, err := b.value(n)
	if err != nil {
		return err
	}
	for _, prefix := range missing {
		uri, ok := namespaceOf(prefix, n.Like)
		switch {
		case !ok:
			return errUndeclared(prefix)
		case b.composing:
			b.declare(prefix, uri)
		default:
			start += " xmlns:" + prefix + `="` + uri + `"`
		}
	}
	name := start[1:]
	name = name[:nameLength(name)]
	out.WriteString(start + ">" + raw + "</" + name + ">")
	return nil
}

// startTag writes the start tag of an entry up to its >. A new string, plurals or string-array has the attributes of
// its model but those that belong to the model's own file: tools:, translatable, msgid.
func (b *builder) startTag(n *resource.New, kind string) (string, error) {
	if kind == "item" {
		if isIndex(n.Name) {
			return "<item", nil
		}
		if !slices.Contains(quantities, n.Name) {
			return "", errQuantity(n.Name)
		}
		return "<item quantity=" + string(b.quote) + n.Name + string(b.quote), nil
	}
	key, variant := splitName(n.Name)
	name, err := attributeValue(key, b.quote)
	if err != nil {
		return "", err
	}
	attributes, named := "", false
	if n.Like != nil {
		src := n.Like.File.Source()
		model := startTagOf(src, n.Like.File.Node(n.Like.Node))
		if model.name == "item" && kind == "string" {
			kind = "item"
		}
		for _, a := range model.attributes {
			value := attributeText(a.text(src))
			switch {
			case a.name == "name":
				value, named = key, true
			case a.name == "product" && variant != "":
				value, variant = variant, ""
			case a.name == "product" && !isDefault(value), a.name == "translatable", a.name == "msgid",
				strings.Contains(a.name, ":"):
				continue
			}
			if spelled, err := attributeValue(value, b.quote); err == nil {
				attributes += " " + a.name + "=" + spelled
			}
		}
	}
	if !named {
		attributes = " name=" + name + attributes
	}
	if variant != "" {
		spelled, err := attributeValue(variant, b.quote)
		if err != nil {
			return "", err
		}
		attributes += " product=" + spelled
	}
	return "<" + kind + attributes, nil
}

// declare puts a prefix on the root of a composed file.
func (b *builder) declare(prefix, uri string) {
	if b.uris == nil {
		b.uris = make(map[string]string)
	}
	if !slices.Contains(b.declared, prefix) {
		b.declared = append(b.declared, prefix)
		b.uris[prefix] = uri
	}
}

// namespaceOf is what a prefix represents in the model's file.
func namespaceOf(prefix string, like *resource.Model) (string, bool) {
	if like != nil {
		src := like.File.Source()
		for _, node := range []int{like.Node, 0} {
			if a, ok := startTagOf(src, like.File.Node(node)).attribute("xmlns:" + prefix); ok {
				return strings.ReplaceAll(a.text(src), `"`, "&quot;"), true
			}
		}
	}
	return xliffURI, prefix == "xliff"
}

// value spells a text as its model is spelled, and copies what is not text. A push is composed of what is in the
// source file, so there a text that is its model's own is copied, too.
func (b *builder) value(n *resource.New) (raw string, missing []string, err error) {
	if n.Kind == resource.Other {
		if n.Like == nil {
			return "@null", nil, nil
		}
		return valueOf(n.Like.File.Source(), n.Like.File.Node(n.Like.Node)), nil, nil
	}
	sp := spelling{dialect: b.dialect}
	if n.Like != nil && n.Like.File.Node(n.Like.Node).Kind <= resource.Other {
		src, model := n.Like.File.Source(), n.Like.File.Node(n.Like.Node)
		old := valueOf(src, model)
		if b.composing && model.Kind == resource.Text && n.Like.File.Text(n.Like.Node) == n.Text &&
			resource.IsOf(grammar{b.dialect}, n.Like.File) {
			if missing, ok := movable(old); ok {
				return old, missing, nil
			}
		}
		sp = b.dialect.spelling(old)
		sp.lead, sp.trail = "", ""
		if err := b.entitiesOf(n, src); err != nil {
			return "", nil, err
		}
	}
	if b.known {
		sp.quoted = b.quoted
	}
	return sp.spell(n.Text, b.scope)
}

// movable reports whether a value means the same in a file without a DOCTYPE, and which prefixes that file must
// declare.
func movable(raw string) (missing []string, ok bool) {
	const start, end = "<v>", "</v>"
	s := scanner{src: start + raw + end}
	at, err := s.startTag(0)
	if err == nil {
		_, _, err = s.content(at)
	}
	return slices.Sorted(maps.Keys(s.names.unbound)), err == nil
}

// entitiesOf refuses a text that refers to an entity which only the model's file declares.
func (b *builder) entitiesOf(n *resource.New, src string) error {
	if b.composing || strings.IndexByte(n.Text, '&') < 0 {
		return nil
	}
	theirs := scopeOf(src, nil).entities
	for rest := n.Text; ; {
		at := strings.IndexByte(rest, '&')
		if at < 0 {
			return nil
		}
		name, _ := referenceName(rest[at:])
		if theirs.names[name] && !b.scope.entities.names[name] {
			return fmt.Errorf("the text uses the entity &%s; of the source file's DOCTYPE; declare it in this file, too", name)
		}
		rest = rest[at+1:]
	}
}
