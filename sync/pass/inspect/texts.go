package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/check/text"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// otherLanguage finds a sentence that another language has under the same key.
func (x *inspection) otherLanguage(
	b *bundle.Bundle, l config.Language, level check.Level, u catalog.Unit, of *examine.Examiner,
) []check.Finding {
	if level == check.Off || !check.Sentence(u.Text) || u.Text == of.Source(u.Name) ||
		b.Files.Skips(check.Language, u.Key) {
		return nil
	}
	before := x.looked.sentences[u.Name]
	at := slices.IndexFunc(before, func(o said) bool { return o.text == u.Text })
	switch {
	case at < 0:
		x.looked.sentences[u.Name] = append(before, said{u.Text, l.Code})
	case check.Apart(before[at].language, l.Code):
		return []check.Finding{{Check: check.Language, Reason: "it is the text that " + before[at].language + " has",
			Warning: level != check.Fail}}
	}
	return nil
}

// refused names what JSON.parse refuses in a file whose program is not known to take it. Chrome takes comments.
func (x *inspection) refused(b *bundle.Bundle, f *resource.File, name string, l config.Language) {
	if !b.Format.IsJSON() || !strings.EqualFold(path.Ext(name), ".json") && !b.Format.ByFlutter() {
		return
	}
	src := strings.TrimPrefix(f.Source(), "\ufeff")
	if json.Valid([]byte(src)) || b.Format.Programs.Reader == programs.Extension {
		return
	}
	var whole json.RawMessage
	var wrong *json.SyntaxError
	if !errors.As(json.Unmarshal([]byte(src), &whole), &wrong) {
		return
	}
	at := min(max(int(wrong.Offset)-1, 0), len(src))
	cause, remedy := wrong.Error(), "correct it"
	switch before := strings.TrimRight(src[:at], " \t\r\n"); {
	case at < len(src) && src[at] == '/':
		cause, remedy = "a comment", "remove it"
	case at < len(src) && strings.ContainsRune("}]", rune(src[at])) && strings.HasSuffix(before, ","):
		cause, remedy = fmt.Sprintf("a comma before %q", src[at:at+1]), "remove it"
		at = len(before) - 1
	}
	p := report.Problem{File: name, Language: l.Code, Problem: cause + ": JSON.parse refuses this file"}
	p.Line, p.Column = f.Position(at + len(f.Source()) - len(src))
	x.add(report.Error, report.CodeSyntax, p, remedy+", or name the file .jsonc or .json5 if its program takes it")
}

// faults names source texts that the program which reads the file would refuse.
func (x *inspection) faults(s *tree.Source) {
	of, at := examine.New(s.Bundle, s.Source, s.Texts), newPositions(s.File)
	for _, u := range s.Texts {
		reader := of.Reader(u.Key)
		blind := reader.Reader == programs.Extension && !s.Format.IsJSON() // YAML says nothing of placeholders
		if s.Clash[u.Key] != "" || blind {
			continue
		}
		kind, fault := check.Source(reader, u.Text, u.Flags, u.Form != "")
		if fault == "" || s.Files.Skips(kind, u.Key) {
			continue
		}
		p := report.Problem{File: s.Path, Key: u.Key, Language: s.Source.Code, Problem: fault}
		at.put(&p, u.Form)
		x.add(report.Error, kind, p, strings.Replace(repair(kind, u.Key), "translation", "source text", 1))
	}
}

// explain tells how the texts of the key that was asked for are read.
func (x *inspection) explain(s *tree.Source) {
	if x.o.Explain == "" {
		return
	}
	of := examine.New(s.Bundle, s.Source, s.Texts)
	for _, u := range s.Texts {
		if u.Key != x.o.Explain {
			continue
		}
		p := of.Reader(u.Key)
		told := report.Explained{File: s.Path, Key: u.Key, Form: u.Form, Reader: string(p.Reader), Because: p.Because,
			Text: u.Text, Arguments: []string{}}
		t := text.Read(p.Reader, u.Text, text.Options{})
		for _, a := range t.Arguments {
			told.Arguments = append(told.Arguments, a.Spelled)
		}
		for _, tag := range t.Tags {
			told.Arguments = append(told.Arguments, tag.Spelled)
		}
		told.Faults = append([]string{}, t.Faults...)
		x.report.Explained = append(x.report.Explained, told)
	}
}
