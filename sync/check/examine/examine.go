// Package examine says what is wrong with a file of translations, given its source texts: texts that would break the
// program, plurals that lack forms, and entries of another shape than the source's.
//
// Its law: a pull that leaves a translation out and a check that names it have the same reason, which is found here.
// The rules themselves are in package check; this one knows how files spell plurals and lists.
//
// It is pure: it reads, reports and writes nothing.
package examine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Examiner checks translations into one language against the texts of their source.
type Examiner struct {
	b      *bundle.Bundle
	l      config.Language
	source catalog.Catalog
	index  map[catalog.Name]int
	plural *spelling.Plurals // the source's plurals that are spelled as keys; nil until they are asked for

	programs programs.Programs // that read the file
	terms    *check.Terms
	levels   map[string]check.Level
}

// New prepares the checks of one file of translations.
func New(b *bundle.Bundle, l config.Language, source catalog.Catalog) *Examiner {
	e := &Examiner{b: b, l: l, source: source, index: source.Index(), programs: reads(b.Format.Programs, source),
		levels: make(map[string]check.Level)}
	for _, kind := range check.Kinds {
		e.levels[kind] = Level(b, l, kind)
	}
	e.terms = terms(b.Check)
	return e
}

// terms are those of a configuration; nil for none.
func terms(c *kinds.Check) *check.Terms {
	if c == nil || c.Terms == "" {
		return nil
	}
	words := check.Terms(c.Words())
	return &words
}

// Level is what the configuration makes of a kind of finding in a file of translations.
func Level(b *bundle.Bundle, l config.Language, kind string) check.Level {
	if b.Check == nil {
		return check.Usual
	}
	return levelOf(b.Check.LevelAt(kind, b.Path, b.Target(l)), kind)
}

func levelOf(level, kind string) check.Level {
	if level == byDefault.Level(kind) {
		return check.Usual
	}
	return map[string]check.Level{"error": check.Fail, "warning": check.Warn, "off": check.Off}[level]
}

// word is a placeholder in the name of a collection.
var word = regexp.MustCompile(`\\\{[A-Z]+\\\}`)

// Settings are what a project's configuration says of a key in a collection, where its file is not known: by the
// entries that the collection may be of. Levels by path are those of an entry without a pattern.
func Settings(p *config.Project, collection, key string) check.Settings {
	var of []*config.Files
	for i := range p.Files {
		name := word.ReplaceAllString(regexp.QuoteMeta(p.Files[i].Collection), ".*")
		if is, err := regexp.MatchString("^(?:"+name+")$", collection); err == nil && is {
			of = append(of, &p.Files[i])
		}
	}
	return check.Settings{
		Skip: func(check string) bool {
			return slices.ContainsFunc(of, func(f *config.Files) bool { return f.Skips(check, key) })
		},
		Level: func(kind string) check.Level {
			var paths []string
			for _, f := range of {
				paths = append(paths, f.Source)
			}
			return levelOf(p.Check.LevelAt(kind, paths...), kind)
		},
		Terms: terms(&p.Check),
	}
}

// byDefault is what holds where the configuration says nothing.
var byDefault = kinds.Default()

// Reader is how a text of this key is read, and what says so.
func (e *Examiner) Reader(key string) programs.Programs {
	for _, form := range []string{"", plural.Other} {
		if at, ok := e.index[catalog.Name{Key: key, Form: form}]; ok {
			return e.programs.Flagged(e.source[at].Flags)
		}
	}
	return e.programs
}

// reads is what a file's texts say of the programs that read it, beside what is known. Where texts have gettext's flags
// the others go through no format. i18next has other signs than {{ }} where it is told so.
func reads(p programs.Programs, source catalog.Catalog) programs.Programs {
	flagged := slices.ContainsFunc(source, func(u catalog.Unit) bool { return strings.Contains(u.Flags, "-format") })
	if flagged {
		p.Named = false
	}
	p.Messages = p.Named && p.Reader == programs.Unknown && slices.ContainsFunc(source, func(u catalog.Unit) bool {
		return check.IsMessage(u.Text)
	})
	if p.Reader == programs.I18next &&
		!slices.ContainsFunc(source, func(u catalog.Unit) bool { return strings.Contains(u.Text, "{{") }) {
		p.Reader, p.Because = programs.Unknown, ""
	}
	return p
}

// Source is the source's text of a name; "" for none.
func (e *Examiner) Source(n catalog.Name) string {
	if at, ok := e.index[n]; ok {
		return e.source[at].Text
	}
	return ""
}

// Examine checks one translation: against the source's text of the same name, or of "other" where the source has no
// such form.
func (e *Examiner) Examine(n catalog.Name, text string) []check.Finding {
	return e.examine(n, text, nil)
}

// Unit is Examine for a text that is in the file: what its own entry says of it counts.
func (e *Examiner) Unit(u catalog.Unit) []check.Finding { return e.examine(u.Name, u.Text, &u.Flags) }

func (e *Examiner) examine(n catalog.Name, text string, flags *string) []check.Finding {
	at, ok := e.index[n]
	if !ok {
		at, ok = e.index[catalog.Name{Key: n.Key, Form: plural.Other}]
	}
	if !ok {
		return nil
	}
	source := e.source[at]
	in := check.Input{Programs: e.programs.Flagged(source.Flags), Key: n.Key, Form: n.Form, Flags: source.Flags,
		Note: source.Note, Source: source.Text, Translation: text, Language: e.l.Code, SourceLanguage: e.b.Source.Code,
		Skip: Skips(e.b, n.Key), Terms: e.terms, Level: func(kind string) check.Level { return e.levels[kind] }}
	if flags != nil && (in.Programs.Reader == programs.Extension || in.Programs.Positions) {
		in.Flags, in.OwnFlags = *flags, *flags != source.Flags
	}
	switch {
	case plural.IsCategory(n.Form):
		in.Forms = e.forms(func(category string) catalog.Name { return catalog.Name{Key: n.Key, Form: category} })
	case n.Form == "":
		in.Form, in.Forms = e.spelledForm(n.Key)
	}
	return check.Translation(in)
}

// forms are the source's texts for the categories that it has.
func (e *Examiner) forms(named func(category string) catalog.Name) (texts []string) {
	for _, category := range plural.Order {
		if at, ok := e.index[named(category)]; ok {
			texts = append(texts, e.source[at].Text)
		}
	}
	return texts
}

// spelledForm is which form of a plural a key is that has its category at the end, and what the source has for all
// forms of it; "" for a key that is none.
func (e *Examiner) spelledForm(key string) (form string, forms []string) {
	if e.plural == nil {
		e.plural = spelling.PluralsIn(e.source, e.b.Separator, e.b.Source.Code)
	}
	for _, category := range plural.Order {
		before, is := strings.CutSuffix(key, category)
		if _, counted := e.plural.Others[before]; is && counted {
			return category, e.forms(func(category string) catalog.Name { return catalog.Name{Key: before + category} })
		}
	}
	base, form := key, plural.One
	if single, is := strings.CutSuffix(key, "_plural"); is {
		base, form = single, plural.Other
	} else if single, is := spelling.Numbered(key); is {
		if base = single; !strings.HasSuffix(key, "_0") {
			form = plural.Few
		}
	}
	pair, is := e.plural.Pairs[base]
	if !is {
		return "", nil
	}
	for _, n := range []catalog.Name{{Key: base}, pair} {
		if at, ok := e.index[n]; ok {
			forms = append(forms, e.source[at].Text)
		}
	}
	return form, forms
}

// Skips says for a key which checks its files are configured without.
func Skips(b *bundle.Bundle, key string) func(string) bool {
	return func(name string) bool { return b.Files.Skips(name, key) }
}

// Forms checks the forms of a plural, those that are there only as a blank left out.
// indexed are the forms that the file can have; nil: those of the language.
func Forms(b *bundle.Bundle, l config.Language, key string, source, forms map[string]string,
	indexed []string) []check.Finding {
	in := check.Plural{Source: slices.Collect(maps.Keys(source)), Indexed: indexed,
		Language: l.Code, SourceLanguage: b.Source.Code,
		Ordinal: bundle.Rules(b, l).Kind(key) == plural.Ordinal, Falls: b.Format.Programs.Suffixes, Skip: Skips(b, key)}
	for form, text := range forms {
		if text != "" {
			in.Forms = append(in.Forms, form)
		}
	}
	return check.Forms(in)
}

// LackingForms are the plurals of a file of translations that lack forms, by the key of a form that is there:
// Android's, and those of Rails' maps for which Rails would raise an error. By which rules other programs choose
// among keys is not known.
func LackingForms(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog,
	indexed []string) map[string]check.Finding {
	lacks := make(map[string]check.Finding)
	if slices.ContainsFunc(texts, func(u catalog.Unit) bool { return u.Form != "" }) {
		of := spelling.Of(source)
		for key, s := range spelling.Of(texts) {
			if s.Forms == nil || of[key].Forms == nil {
				continue
			}
			for _, f := range Forms(b, l, key, of[key].Forms, s.Forms, indexed) {
				lacks[key] = f
			}
		}
	}
	if !b.Format.Programs.Rails {
		return lacks
	}
	for _, m := range RailsMaps(b, l, source, texts) {
		lacks[m.first] = m.Finding
	}
	return lacks
}

// RailsMap is a plural of Rails that lacks forms: the source's key for "other", and the first key that is there.
type RailsMap struct {
	Other, first string
	check.Finding
}

// RailsMaps are the plurals of texts for which Rails would raise an error. It takes "zero" for 0 where that is there.
func RailsMaps(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) (all []RailsMap) {
	of := spelling.PluralsIn(source, b.Separator, b.Source.Code)
	at := make(map[string]int)
	var forms []check.Plural
	for _, u := range texts {
		other := of.MapOf(u.Key)
		if other == "" && of.Others[strings.TrimSuffix(u.Key, plural.Other)].Key == u.Key {
			other = u.Key
		}
		if other == "" || u.Text == "" {
			continue
		}
		i, ok := at[other]
		if !ok {
			i = len(all)
			at[other] = i
			all = append(all, RailsMap{Other: other, first: u.Key})
			forms = append(forms, check.Plural{Source: []string{plural.Other}, Language: l.Code,
				SourceLanguage: b.Source.Code, Skip: Skips(b, u.Key)})
		}
		forms[i].Forms = append(forms[i].Forms, strings.TrimPrefix(u.Key, strings.TrimSuffix(other, plural.Other)))
	}
	kept := all[:0]
	for i, m := range all {
		if found := check.Breaking(check.Forms(forms[i])); len(found) > 0 {
			m.Finding = found[0]
			kept = append(kept, m)
		}
	}
	return kept
}

// Shape is what the texts of one key are together.
type Shape struct {
	Kind  string // in words
	forms map[string]bool
}

// Shapes are those of a catalog's keys; with like, only texts of the kind there count. Of mixed kinds the last counts.
func Shapes(c catalog.Catalog, like map[string]Shape) map[string]Shape {
	all := make(map[string]Shape)
	for _, u := range c {
		kind := ShapeOf(u.Form)
		if like != nil && like[u.Key].Kind != kind {
			continue
		}
		s := all[u.Key]
		if s.Kind != kind {
			s = Shape{kind, make(map[string]bool)}
		}
		s.forms[u.Form] = true
		all[u.Key] = s
	}
	return all
}

// ShapeOf is the shape, in words, of texts that have such a form.
func ShapeOf(form string) string {
	switch {
	case form == "":
		return "one text"
	case spelling.IsItem(form):
		return "a list"
	}
	return "a plural"
}

// Unfit are the texts of a target file that are never sent, and why: those of a key that has two, those of a name that
// holds other texts in the source, and those of a list, or where the exchange has forms of a plural, that the source
// does not have as such, so that the service has no source text for them.
func Unfit(b *bundle.Bundle, source catalog.Catalog, f *resource.File, texts catalog.Catalog) map[catalog.Name]string {
	bad, twice, want := make(map[catalog.Name]string), bundle.Unsent(b, f), map[string]Shape{}
	formed := func(u catalog.Unit) bool { return spelling.IsItem(u.Form) }
	strict := b.Format.Exchanged().Programs.Categories // there a plural cannot travel as one text, nor that as a plural
	if strict {
		formed = func(u catalog.Unit) bool { return u.Form != "" }
	}
	if slices.ContainsFunc(texts, formed) || slices.ContainsFunc(source, formed) {
		want = Shapes(source, nil)
	}
	for key, n := range held(b, source, texts) {
		bad[catalog.Name{Key: key}] = fmt.Sprintf("it is one text, and the source has %s below that name; it is not sent "+
			"until both have the same", report.Counted(n, "text", "texts"))
	}
	for _, u := range texts {
		of, kind := want[u.Key], ShapeOf(u.Form)
		switch list := "a list"; {
		case twice[u.Key] != "":
			bad[u.Name] = twice[u.Key]
		case of.Kind == "" || of.forms[u.Form]:
		case kind == of.Kind && kind != list || kind != list && of.Kind != list && !strict:
		case kind == of.Kind:
			bad[u.Name] = fmt.Sprintf("the list is longer than the source's, which has %d items; what is beyond those is "+
				"not sent. Take it out, or write it into the source too", len(of.forms))
		default:
			bad[u.Name] = fmt.Sprintf("it is %s, and the source has %s; it is not sent until both have the same", kind, of.Kind)
		}
	}
	return bad
}

// held are the names of single texts that hold texts in the source, and how many. A plural's name may have one text.
func held(b *bundle.Bundle, source, texts catalog.Catalog) map[string]int {
	names, keys := make(map[string]int), map[string]bool(nil)
	for _, u := range texts {
		if b.Separator == "" || u.Form != "" || u.Text == "" {
			continue
		}
		if keys == nil {
			keys = source.Keys()
		}
		if !keys[u.Key] && !keys[u.Key+b.Separator+plural.Other] {
			names[u.Key] = 0
		}
	}
	if len(names) == 0 {
		return nil
	}
	for key := range keys {
		for at := strings.Index(key, b.Separator); at > 0; {
			if n, is := names[key[:at]]; is {
				names[key[:at]] = n + 1
			}
			next := strings.Index(key[at+len(b.Separator):], b.Separator)
			if next < 0 {
				break
			}
			at += len(b.Separator) + next
		}
	}
	maps.DeleteFunc(names, func(_ string, n int) bool { return n == 0 })
	return names
}

// UnfitProblems names each key of which texts are never sent, once.
func UnfitProblems(target bundle.Target, texts catalog.Catalog, unfit map[catalog.Name]string) (all []report.Problem) {
	told := make(map[string]bool)
	for _, u := range texts {
		if why := unfit[u.Name]; why != "" && !told[u.Key] {
			told[u.Key] = true
			code := report.CodeShape
			if is := bundle.CodeOfUnsent(why); is != report.CodeClash || strings.HasPrefix(why, "is in this file twice") {
				code = is
			}
			all = append(all, report.Problem{Code: code, File: target.Path, Key: u.Key, Language: target.Language.Code,
				Problem: why})
		}
	}
	return all
}

// Misfit says why new texts of a key, with the repository's, do not fit the source's; pluralsWhole sees to categories.
func (s Shape) Misfit(source, have Shape) string {
	forms := maps.Clone(s.forms)
	maps.Copy(forms, have.forms)
	switch {
	case s.Kind != source.Kind:
		return fmt.Sprintf("it is %s, and the source has %s", s.Kind, source.Kind)
	case s.Kind == "a list" && len(source.forms) != len(forms):
		return fmt.Sprintf("the list has %d items, and the source's has %d", len(forms), len(source.forms))
	}
	return ""
}
