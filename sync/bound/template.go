package bound

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
)

// mostLoops is how deep loops of a template may be inside one another.
const mostLoops = 2

// Text fills a text/template in, within so many bytes, also of what a function yields. Loops go over fields of the
// data, and there are no definitions: a small template could work for ever.
func Text(name, text string, most int, more template.FuncMap, data any) (string, error) {
	if len(text) > most {
		return "", &Exceeded{"bytes", int64(most)}
	}
	t, err := template.New(name).Funcs(short(most)).Funcs(more).Parse(text)
	if err != nil {
		return "", err
	}
	if len(t.Templates()) > 1 {
		return "", errors.New(name + ":1: a definition, which this text cannot have")
	}
	if t.Tree != nil {
		if err := loops(t.Tree, t.Tree.Root, 0); err != nil {
			return "", err
		}
	}
	b := &limited{most: most}
	if err := t.Execute(b, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.text.String()), nil
}

// loops refuses loops that are too deep, or go over anything but fields.
func loops(t *parse.Tree, n parse.Node, depth int) error {
	bad := func(at parse.Node, why string) error {
		where, _ := t.ErrorContext(at)
		return fmt.Errorf("%s: %s", where, why)
	}
	below := func(list, other *parse.ListNode, depth int) error {
		return errors.Join(loops(t, list, depth), loops(t, other, depth))
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := loops(t, child, depth); err != nil {
				return err
			}
		}
	case *parse.IfNode:
		return below(n.List, n.ElseList, depth)
	case *parse.WithNode:
		return below(n.List, n.ElseList, depth)
	case *parse.RangeNode:
		over := n.Pipe.Cmds[0].Args
		_, field := over[0].(*parse.FieldNode)
		root, named := over[0].(*parse.VariableNode) // $.Files
		if len(n.Pipe.Cmds)+len(over) > 2 || !field && (!named || root.Ident[0] != "$") {
			return bad(n, "range goes over a list that this text may speak of, such as .Languages")
		}
		if depth == mostLoops {
			return bad(n, fmt.Sprintf("more than %d loops inside one another", mostLoops))
		}
		return below(n.List, n.ElseList, depth+1)
	case *parse.TemplateNode:
		return bad(n, "a definition, which this text cannot have")
	}
	return nil
}

// short are the functions that make texts, whose results are limited.
func short(most int) template.FuncMap {
	all := func(text func(...any) string) func(...any) (string, error) {
		return func(args ...any) (string, error) { return within(most, args, func() string { return text(args...) }) }
	}
	return template.FuncMap{
		"join": func(list []string, separator string) (string, error) {
			if len(list)*len(separator) > most {
				return "", &Exceeded{"bytes", int64(most)}
			}
			return within(most, []any{list}, func() string { return strings.Join(list, separator) })
		},
		"printf": func(format string, args ...any) (string, error) {
			if len(format) > mostFormat || widths.MatchString(format) {
				return "", fmt.Errorf("printf with %.20q: %w", format, &Exceeded{"bytes", int64(most)})
			}
			return within(most, args, func() string { return fmt.Sprintf(format, args...) })
		},
		"print": all(fmt.Sprint), "println": all(fmt.Sprintln), "html": all(template.HTMLEscaper),
		"js": all(template.JSEscaper), "urlquery": all(template.URLQueryEscaper),
	}
}

const mostFormat = 1000 // bytes of a format

// widths are the ways in which a format is longer than its arguments, or has them more than once.
var widths = regexp.MustCompile(`%[^a-zA-Z%]*(\[|\*|[0-9]{4})`)

// within is a text that is made of arguments.
func within(most int, args []any, make func() string) (string, error) {
	n := 0
	for _, a := range args {
		switch a := a.(type) {
		case string:
			n += len(a)
		case []string:
			for _, s := range a {
				n += len(s)
			}
		}
	}
	text := ""
	if n <= most {
		text = make()
	}
	if max(n, len(text)) > most {
		return "", &Exceeded{"bytes", int64(most)}
	}
	return text, nil
}

// limited refuses what is longer.
type limited struct {
	text strings.Builder
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.text.Len()+len(p) > l.most {
		return 0, &Exceeded{"bytes", int64(l.most)}
	}
	return l.text.Write(p)
}

// Code shows a text as it is within a line of Markdown: one from outside must not become a link, a mention or a word
// that closes issues.
func Code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	fence := Fence(text, 1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Fence is a row of backticks that is longer than any in a text, and has so many at least.
func Fence(text string, least int) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(least, longest+1))
}
