package resource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What is new in a file is gathered before it is written: the entries of one edit batch that are in one new container
// are one sprout of it.

// sprout is a New under construction.
type sprout struct {
	label    string
	kind     Kind
	text     string
	model    *Model
	children []*sprout
	byLabel  map[string]*sprout // the children, once one was added
}

// sprout starts a new node at above/label: a leaf with the edit's text, or a container of the kind that like has there.
func (r *rewrite) sprout(above []string, label string, e Edit, leaf bool) *sprout {
	s := &sprout{label: label, kind: Map}
	if strings.HasSuffix(label, formsMark) {
		s.kind = Forms
	}
	if r.like != nil {
		if at, ok := r.like.at(append(slices.Clone(above), label)); ok {
			s.model = &Model{r.like, at}
			if k := r.like.nodes[at].Kind; k > Other {
				s.kind = k
			}
		}
	}
	if leaf {
		s.kind, s.text = Text, e.Text
	}
	return s
}

// add puts an entry below s, sharing containers that are there. It is refused where a text is above it, or other keys
// below.
func (s *sprout) add(r *rewrite, above, path []string, e Edit) bool {
	if s.kind == Text {
		r.refuse(e, textAbove, s.label)
		return false
	}
	if c := s.byLabel[path[0]]; c != nil {
		if len(path) > 1 {
			return c.add(r, append(slices.Clone(above), path[0]), path[1:], e)
		}
		r.refuse(e, keysBelow)
		return false
	}
	c := r.sprout(above, path[0], e, len(path) == 1)
	s.children = append(s.children, c)
	if s.byLabel == nil {
		s.byLabel = make(map[string]*sprout)
	}
	s.byLabel[path[0]] = c
	if len(path) > 1 {
		c.add(r, append(slices.Clone(above), path[0]), path[1:], e)
	}
	return true
}

// isCounted reports whether a sprout's children are counted items.
func (s *sprout) isCounted() bool {
	return s.kind == List || s.kind == Forms && len(s.children) > 0 && counted(s.children[0].label)
}

// done turns a sprout into a New. New counted items must be all that the model has; what is not text among them, and in
// the maps inside of them, is copied.
func (s *sprout) done(inList, copies bool) (New, error) {
	n := New{Kind: s.kind, Name: strings.TrimSuffix(s.label, formsMark), Text: s.text, Like: s.model}
	if inList {
		n.Name = ""
	}
	switch {
	case s.isCounted():
		if err := s.complete(); err != nil {
			return n, err
		}
		copies = true
	case copies && s.kind == Map && s.model != nil:
		s.fill()
	}
	for _, c := range s.children {
		child, err := c.done(s.kind == List, copies)
		if err != nil {
			return n, err
		}
		n.Children = append(n.Children, child)
	}
	return n, nil
}

// fill adds what the model of a map has and what is not text, in the model's order.
func (s *sprout) fill() {
	f, fresh := s.model.File, s.children
	have := make(map[string]*sprout)
	for _, c := range fresh {
		have[c.label] = c
	}
	s.children = nil
	for c := range f.Children(s.model.Node) {
		label := f.ownLabel(c)
		child, here := have[label]
		if !here {
			child = copied(f, c, label)
		}
		if child != nil {
			s.children = append(s.children, child)
		}
		have[label] = nil
	}
	for _, c := range fresh {
		if have[c.label] != nil {
			s.children = append(s.children, c)
		}
	}
}

// copied is the sprout of a node of the model that holds no text, nil when it holds one.
func copied(f *File, i int, label string) *sprout {
	n := &f.nodes[i]
	s := &sprout{label: label, kind: n.Kind, model: &Model{f, i}}
	if n.Kind == Text {
		return nil
	}
	k := 0
	for c := range f.Children(i) {
		of := strconv.Itoa(k)
		if n.Kind != List {
			of = f.ownLabel(c)
		}
		child := copied(f, c, of)
		if child == nil {
			return nil
		}
		s.children = append(s.children, child)
		k++
	}
	return s
}

func (s *sprout) complete() error {
	have := make(map[string]*sprout)
	for _, c := range s.children {
		have[c.label] = c
	}
	s.children = s.children[:0]
	i := 0
	if s.model != nil {
		for c := range s.model.File.Children(s.model.Node) {
			label := strconv.Itoa(i)
			i++
			item := have[label]
			if item == nil {
				item = copied(s.model.File, c, label)
			}
			if item == nil {
				return fmt.Errorf("item %s of the list is missing, and a list is whole or absent", label)
			}
			s.children = append(s.children, item)
			delete(have, label)
		}
	}
	for ; len(have) > 0; i++ {
		c := have[strconv.Itoa(i)]
		if c == nil {
			return fmt.Errorf("item %d of the list is missing, and a list is whole or absent", i)
		}
		s.children = append(s.children, c)
		delete(have, c.label)
	}
	return nil
}
