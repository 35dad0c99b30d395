package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// mostTexts is how many texts one call may set.
const mostTexts = 5000

// setIn are translations to write.
type setIn struct {
	Project string   `json:"project,omitempty" jsonschema:"the project; needed where several are configured"`
	Texts   []wanted `json:"texts" jsonschema:"the translations, at most 5000"`
	DryRun  bool     `json:"dry_run,omitempty" jsonschema:"only check, and write nothing"`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"next of the answer before, with its texts: further refused ones"`
}

// wanted is one translation of a key.
type wanted struct {
	Key      string            `json:"key" jsonschema:"the key, as missing and texts name it"`
	Language string            `json:"language" jsonschema:"a target language of the project"`
	Text     string            `json:"text,omitempty" jsonschema:"the text, without escapes of the file's format"`
	Forms    map[string]string `json:"forms,omitempty" jsonschema:"instead of text: by plural category or list number"`
	File     string            `json:"file,omitempty" jsonschema:"the source file, needed where several have the key"`

	index int // among the texts
}

// forms are its texts by form; "" is a text without forms.
func (t wanted) forms() map[string]string {
	if len(t.Forms) > 0 {
		return t.Forms
	}
	return map[string]string{"": t.Text}
}

// setOut is the answer of set_texts.
type setOut struct {
	DryRun       bool                 `json:"dry_run,omitempty"`
	Written      int                  `json:"written"` // of the texts that were asked for; with dry_run, that would be
	Files        []writtenFile        `json:"files"`   // as many as fit
	FilesTotal   int                  `json:"files_total"`
	Refused      []refused            `json:"refused"` // as many as fit
	RefusedTotal int                  `json:"refused_total"`
	Next         string               `json:"next,omitempty"` // the cursor of further refused texts
	Warnings     list[report.Problem] `json:"warnings"`       // of texts that are written; check has all

	files    []writtenFile
	refused  []refused
	warnings []report.Problem
}

// writtenFile is a file, and how many of the texts that were asked for it has now.
type writtenFile struct {
	File  string `json:"file"`
	Texts int    `json:"texts"`
	New   bool   `json:"new,omitempty"`
}

// refused is a text that is not written.
type refused struct {
	Index    int    `json:"index"` // among the texts that were given
	Key      string `json:"key"`
	Language string `json:"language"`
	File     string `json:"file,omitempty"`
	Reason   string `json:"reason"`
	Remedy   string `json:"remedy,omitempty"`
}

// refuse names a text that is not written.
func (out *setOut) refuse(t wanted, file, why, remedy string) {
	out.refused = append(out.refused, refused{t.index, cut(t.Key, mostKey), cut(t.Language, mostKey), file,
		cut(why, mostText), cut(remedy, mostText)})
}

// byIndex sorts refused texts as they were given: the same call again has the same.
var byIndex = sorted[refused]{"refused", func(r refused) position { return at(fmt.Sprintf("%08d", r.Index)) }, nil}

// bounded is what an answer has of it.
func (out setOut) bounded(cursor string) (setOut, error) {
	refused, err := paged(out.refused, page{Limit: mostItems, Cursor: cursor}, byIndex)
	if err != nil {
		return out, err
	}
	out.Refused, out.RefusedTotal, out.Next = refused.Items, refused.Total, refused.Next
	out.Files, out.FilesTotal, err = firstOf(out.files)
	if err == nil {
		out.Warnings, err = paged(out.warnings, page{}, withoutProject)
	}
	return out, err
}

func (s *server) setTexts(ctx context.Context, r *sdk.CallToolRequest, in setIn) (setOut, error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return setOut{}, err
	}
	projects := c.projects(in.Project)
	switch {
	case len(projects) != 1:
		return setOut{}, failure.Usage(fmt.Errorf("%d projects are configured; name one in project", len(projects)))
	case len(in.Texts) == 0 || len(in.Texts) > mostTexts:
		return setOut{}, failure.Usage(fmt.Errorf("%d texts are given; give 1 to %d", len(in.Texts), mostTexts))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	out := setOut{DryRun: in.DryRun}
	err = c.inWorktree(ctx, projects[0], func(w *worktree) error { return w.set(ctx, c, in, &out) })
	if err != nil {
		return setOut{}, err
	}
	return out.bounded(in.Cursor)
}

// edit are the texts that one file of translations is to get in a language.
type edit struct {
	target bundle.Target
	texts  []wanted
}

// textOf is a text of a file.
type textOf struct{ path, language, key string }

// set writes texts into the working tree, file by file.
func (w *worktree) set(ctx context.Context, c call, in setIn, out *setOut) error {
	root, err := os.OpenRoot(w.repo.Facts().WorkTree)
	if err != nil {
		return err
	}
	defer root.Close()
	w.index()
	byPath := make(map[string][]*edit)
	given := make(map[textOf]bool, len(in.Texts))
	for i, t := range in.Texts {
		t.index = i
		target, why := w.target(t)
		if why != "" {
			out.refuse(t, target.Path, why, "")
			continue
		}
		edits := byPath[target.Path]
		at := slices.IndexFunc(edits, func(e *edit) bool { return e.target.Language.Code == t.Language })
		if at < 0 {
			at = len(edits)
			edits = append(edits, &edit{target: target})
		}
		this := textOf{target.Path, t.Language, t.Key}
		if given[this] {
			out.refuse(t, target.Path, "is given twice; the first is taken", "")
			continue
		}
		given[this] = true
		edits[at].texts = append(edits[at].texts, t)
		byPath[target.Path] = edits
	}
	for i, path := range slices.Sorted(maps.Keys(byPath)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.progress(report.Doing{What: "writing translations", Done: int64(i), Total: int64(len(byPath))})
		if err := w.setIn(root, path, byPath[path], in.DryRun, out); err != nil {
			return err
		}
	}
	return nil
}

// target is the file that a text belongs into, or why there is none.
func (w *worktree) target(t wanted) (bundle.Target, string) {
	switch {
	case t.Language == w.cfg.SourceLanguage:
		return bundle.Target{}, "is in the source language; change the source file itself"
	case !slices.Contains(w.cfg.TargetLanguages, t.Language):
		return bundle.Target{}, noLanguage(w.cfg.TargetLanguages, t.Language).Error()
	case t.Text != "" && len(t.Forms) > 0:
		return bundle.Target{}, "has text and forms; give one of them"
	}
	for form, text := range t.forms() {
		if text == "" {
			return bundle.Target{}, fmt.Sprintf("the text is empty%s; set_texts removes nothing", ofForm(form))
		}
	}
	having := w.having(t)
	switch {
	case len(having) > 1:
		var paths []string
		for _, s := range having {
			paths = append(paths, s.Path)
		}
		return bundle.Target{}, "several source files have this key; choose with file: " + report.Some(paths, 5)
	case len(having) == 0 && t.File != "":
		return bundle.Target{}, "no source file of the configuration has this path and this key"
	case len(having) == 0:
		return bundle.Target{}, "no source file has this key; add it to a source file first"
	}
	if why := having[0].Clash[t.Key]; why != "" {
		return bundle.Target{}, "the key in the source file " + why
	}
	target, is := w.filesOf[translationsOf{having[0].Bundle, t.Language}]
	if !is {
		return bundle.Target{}, "the service names the files of this source file, and has none for this language; pull first"
	}
	return target, fits(having[0], target, t)
}

// translationsOf is a source file and a language that it is translated into.
type translationsOf struct {
	source   *bundle.Bundle
	language string
}

// index makes the files of thousands of texts known by their keys.
func (w *worktree) index() {
	w.sourcesOf, w.filesOf = make(map[string][]*tree.Source), make(map[translationsOf]bundle.Target)
	for _, s := range w.tree.Sources {
		if s.Broken() {
			continue
		}
		for key := range s.TextKeys() {
			w.sourcesOf[key] = append(w.sourcesOf[key], s)
		}
		for key := range s.Clash {
			if !s.TextKeys()[key] {
				w.sourcesOf[key] = append(w.sourcesOf[key], s)
			}
		}
	}
	for _, target := range w.targets {
		for _, b := range target.Sources {
			w.filesOf[translationsOf{b, target.Language.Code}] = target
		}
	}
}

// having are the source files that have a key, else those of which it can be a further form of a plural.
func (w *worktree) having(t wanted) (all []*tree.Source) {
	other := func(s *tree.Source) bool { return t.File != "" && s.Path != t.File }
	all = slices.DeleteFunc(slices.Clone(w.sourcesOf[t.Key]), other)
	if len(all) > 0 {
		return all
	}
	for _, s := range w.tree.Sources {
		if !other(s) && !s.Broken() && s.MayHave(t.Key) {
			all = append(all, s)
		}
	}
	return all
}

func ofForm(form string) string {
	if form == "" {
		return ""
	}
	return fmt.Sprintf(" in the form %q", form)
}

// fits says why a text cannot be that of a key: it has another shape than the source's.
func fits(s *tree.Source, target bundle.Target, t wanted) string {
	source := s.Texts.Restrict(map[string]bool{t.Key: true})
	have := examine.Shapes(source, nil)[t.Key].Kind
	if have == "" { // the further form of a plural that is spelled as keys
		have = examine.ShapeOf("")
	}
	own := spelling.Of(source)[t.Key].Forms
	categories := bundle.Rules(s.Bundle, target.Language).Categories(t.Key, own)
	for form := range t.forms() {
		if is := examine.ShapeOf(form); is != have {
			return fmt.Sprintf("it is %s, and the source has %s", is, have)
		}
		_, there := source.Index()[catalog.Name{Key: t.Key, Form: form}]
		switch {
		case form == "" || there && !plural.IsCategory(form):
		case spelling.IsItem(form):
			return fmt.Sprintf("the source's list has no item %s", form)
		case !plural.IsCategory(form) || len(categories) > 0 && !plural.Has(categories, form):
			var names []string
			for _, c := range categories {
				names = append(names, c.Name)
			}
			return fmt.Sprintf("a plural has no form %q in this language; %s", form, spell.Meant(form, names))
		}
	}
	return ""
}

// setIn writes one file with the texts of its languages. It is left alone where it changed meanwhile.
func (w *worktree) setIn(root *os.Root, path string, edits []*edit, dry bool, out *setOut) error {
	before, err := bound.ReadFS(w.fsys, path, resource.MaxBytes)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		why := "the file cannot be read: " + err.Error()
		if bundle.IsLink(w.fsys, path) {
			why = "the file is, or is in, a symbolic link; translations are written through none"
		}
		w.refuse(out, edits, why)
		return nil
	}
	content, written := before, 0
	var warnings []report.Problem
	for _, e := range edits {
		var kept []wanted
		content, kept, warnings = w.render(content, exists || written > 0, e, warnings, out)
		written += len(kept)
		e.texts = kept
	}
	if written == 0 {
		return nil
	}
	if !dry && !bytes.Equal(content, before) {
		now, err := bound.ReadFS(w.fsys, path, resource.MaxBytes)
		if exists != (err == nil) || !bytes.Equal(now, before) {
			w.refuse(out, edits, "the file changed meanwhile; call again")
			return nil
		}
		if err := files.WriteBelow(root, filepath.FromSlash(path), content); err != nil {
			w.refuse(out, edits, "the file cannot be written: "+err.Error())
			return nil
		}
	}
	out.Written += written
	out.files = append(out.files, writtenFile{path, written, !exists})
	out.warnings = append(out.warnings, warnings...)
	return nil
}

// refuse names the texts of a file that is not written.
func (w *worktree) refuse(out *setOut, edits []*edit, why string) {
	for _, e := range edits {
		for _, t := range e.texts {
			out.refuse(t, e.target.Path, why, "")
		}
	}
}

// render makes the texts of a language those of a file's content. A text that the format or a check refuses is left
// out, and the others are tried again without it.
func (w *worktree) render(content []byte, exists bool, e *edit, warnings []report.Problem, out *setOut) (
	[]byte, []wanted, []report.Problem) {
	b, l := e.target.Sources[0], e.target.Language
	refuse := func(why string) ([]byte, []wanted, []report.Problem) {
		w.refuse(out, []*edit{e}, why)
		return content, nil, warnings
	}
	var old *resource.File
	wrong := make(map[report.Problem]bool) // already, with the content of before
	if exists {
		var err error
		if old, err = b.Parse(content, l); err != nil {
			return refuse("the file cannot be read: " + err.Error())
		}
		for _, p := range inspect.Proposed(w.cfg, w.tree, e.target, content) {
			p.Line, p.Column = 0, 0
			wrong[p] = true
		}
	}
	for len(e.texts) > 0 {
		changes := changesOf(old, e.texts)
		like := w.tree.Layout(e.target, changes)
		made, left, err := pull.Rendered(nil, like.Bundle, like.File, old, l, changes)
		if err != nil {
			return refuse(pull.HeldBack(e.target.Path, l, err).Problem)
		}
		why := make(map[string]refused)
		for _, r := range left {
			why[r.Key] = refused{Reason: "cannot be written: " + r.Reason}
		}
		asked := make(map[string]bool)
		for _, t := range e.texts {
			asked[t.Key] = true
		}
		var minor []report.Problem
		beside := "" // what would be wrong with other keys, or with the file
		for _, p := range inspect.Proposed(w.cfg, w.tree, e.target, made) {
			known := p
			known.Line, known.Column = 0, 0
			switch {
			case p.Severity == report.Error && asked[p.Key]:
				why[p.Key] = refused{Reason: p.Problem, Remedy: forAgent(p).Remedy}
			case p.Severity == report.Error && (p.Key == "" || !wrong[known]):
				beside = forAgent(p).String()
			case asked[p.Key]:
				minor = append(minor, forAgent(p))
			}
		}
		switch {
		case len(why) == 0 && beside != "":
			return refuse(beside)
		case len(why) == 0:
			return made, e.texts, append(warnings, minor...)
		}
		e.texts = slices.DeleteFunc(e.texts, func(t wanted) bool {
			r, is := why[t.Key]
			if is {
				out.refuse(t, e.target.Path, r.Reason, r.Remedy)
			}
			return is
		})
	}
	return content, nil, warnings
}

// changesOf are texts as changes of a file; nil is one that is not there.
func changesOf(old *resource.File, texts []wanted) (all []catalog.Change) {
	for _, t := range texts {
		forms := t.forms()
		for _, form := range slices.SortedFunc(maps.Keys(forms), plural.Compare) {
			op := catalog.Added
			if old != nil {
				if _, has := old.Lookup(t.Key, form); has {
					op = catalog.Changed
				}
			}
			all = append(all, catalog.Change{Op: op, Name: catalog.Name{Key: t.Key, Form: form}, Text: forms[form]})
		}
	}
	return all
}
