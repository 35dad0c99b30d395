package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/examine"
	"github.com/locsync/locsync/sync/plural"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
)

// pluralKeys warns of plurals in i18next's keys (file_one, file_other) that lack keys which the language needs and
// the source does not have, so that no translator is asked for them. Keys that the source has are missing as any
// translation may be.
func (x *inspection) pluralKeys(target bundle.Target, at *positions, source, texts catalog.Catalog) {
	b, l := target.Sources[0], target.Language
	if !strings.HasSuffix(b.Format.Name, "json") ||
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
				"keep them; if it is meant so, write skip_checks = [%q]",
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
	return fmt.Sprintf("correct the translation; if it is meant so, write skip_checks = [%q]", name+":"+key)
}
