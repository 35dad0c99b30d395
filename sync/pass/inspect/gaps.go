package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// translatedIn is a source file and a language of its translations.
type translatedIn struct{ source, language string }

// keep notes which keys a file of translations has whole. Of a file that cannot be read nothing is known.
func (x *inspection) keep(t *tree.Tree, target bundle.Target, f *resource.File, texts catalog.Catalog,
	broken bool) {
	if !x.o.Missing && !x.holds(target.Language) {
		return
	}
	for _, b := range target.Sources {
		var keys map[string]bool
		if f != nil {
			keys = spelling.Complete(t.Of(b).Texts, texts, bundle.FileRules(b, target.Language, f))
		}
		at := translatedIn{b.Path, target.Language.Code}
		had, some := x.have[at]
		switch {
		case broken, some && had == nil:
			x.have[at] = nil
		case !some:
			x.have[at] = make(map[string]bool, len(keys))
			fallthrough
		default:
			for key, translated := range keys {
				x.have[at][key] = x.have[at][key] || translated
			}
		}
	}
}

// gaps reports the keys that have no translation, at the file that would have it.
func (x *inspection) gaps(t *tree.Tree) {
	languages := slices.DeleteFunc(x.cfg.Targets(), func(l config.Language) bool { return !x.o.Missing && !x.holds(l) })
	if len(languages) == 0 {
		return
	}
	for _, s := range t.Sources {
		if s.Broken() {
			continue
		}
		var keys []string // with a text
		text := spelling.Translated(s.Texts)
		for _, u := range s.Texts {
			if text[u.Key] {
				text[u.Key] = false
				keys = append(keys, u.Key)
			}
		}
		for _, l := range languages {
			have, read := x.have[translatedIn{s.Path, l.Code}]
			if read && have == nil {
				continue
			}
			path := s.Target(l)
			if path == "" {
				path = s.Path // the service names the files
			}
			wanted := spelling.Wanted(s.Texts, s.Separator, s.Source.Code, l.Code)
			for _, key := range keys {
				whole, some := have[key]
				if whole || !wanted[key] {
					continue
				}
				what := "no translation in this language"
				if some {
					what = "no whole translation: it is blank, or its plural lacks a form that the language needs"
				}
				x.add(report.Error, report.CodeGap, report.Problem{File: path, Key: key, Language: l.Code,
					Problem: what}, "translate it at the service, or in this file")
			}
		}
	}
}

// pluralKeys warns of plurals in i18next's keys (file_one, file_other) that lack keys which the language needs and
// the source does not have, so that no translator is asked for them. Keys that the source has are missing as any
// translation may be.
func (x *inspection) pluralKeys(target bundle.Target, at *positions, source, texts catalog.Catalog) {
	b, l := target.Sources[0], target.Language
	if !b.Format.Programs.Suffixes ||
		!slices.ContainsFunc(source, func(u catalog.Unit) bool { return strings.HasSuffix(u.Key, "_"+plural.Other) }) {
		return
	}
	index, here := source.Index(), texts.Index()
	for before, other := range spelling.PluralsIn(source, b.Separator, b.Source.Code).Others {
		base, is := strings.CutSuffix(before, "_")
		if !is {
			continue
		}
		in := check.Plural{Ordinal: strings.HasSuffix(base, "_ordinal"), Language: l.Code, SourceLanguage: b.Source.Code,
			Skip: examine.Skips(b, other.Key)}
		translated, last := false, other
		for _, category := range plural.Order {
			n := catalog.Name{Key: before + category}
			of, known := index[n]
			if known {
				in.Source = append(in.Source, category)
			}
			if i, ok := here[n]; ok && texts[i].Text != "" {
				in.Forms, last = append(in.Forms, category), n
				translated = translated || known && texts[i].Text != source[of].Text
			}
		}
		if !translated || !countsAs(in, b.Source) {
			continue
		}
		in.Forms = append(in.Forms, in.Source...)
		for _, f := range check.Forms(in) {
			p := report.Problem{File: target.Path, Key: last.Key, Language: l.Code, Problem: f.Reason}
			at.put(&p, "")
			p.Key = other.Key
			x.add(report.Warning, f.Check, p, fmt.Sprintf("write keys that begin with %q for that into this file, where pulls "+
				"keep them; if it is meant so, add skip_checks = [%q] to its [[project.files]]",
				before, f.Check+":"+other.Key))
		}
	}
}

// countsAs reports whether keys that end in these words are a plural of the source language: more than one, and not
// step_one, step_two, step_other in English.
func countsAs(in check.Plural, from config.Language) bool {
	return len(in.Source) > 1 && (in.Ordinal || !slices.Contains(in.Source, plural.Two) ||
		plural.Has(plural.Categories(from.Code), plural.Two))
}

// repair says what to do about a translation that fails a check.
func repair(name, key string) string {
	return fmt.Sprintf("correct the translation; if it is meant so, add skip_checks = [%q] to its [[project.files]]",
		name+":"+key)
}
