package inspect

import (
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
	"github.com/locsync/locsync/sync/tree"
)

// translatedIn is a source file and a language of its translations.
type translatedIn struct{ source, language string }

// holds notes which keys a file of translations has texts for. Of a file that cannot be read nothing is known.
func (x *inspection) holds(target bundle.Target, f *resource.File, broken bool) {
	if !x.o.Missing {
		return
	}
	var keys map[string]bool
	if f != nil {
		keys = spelling.Translated(bundle.Texts(f))
	}
	for _, b := range target.Sources {
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
		of := spelling.PluralsIn(s.Texts, s.Separator, s.Source.Code)
		for _, l := range x.cfg.Targets() {
			have, read := x.have[translatedIn{s.Path, l.Code}]
			if read && have == nil {
				continue
			}
			path := s.Target(l)
			if path == "" {
				path = s.Path // the service names the files
			}
			foreign := of.Foreign(l.Code)
			for _, key := range keys {
				if !have[key] && !foreign[key] {
					x.add(report.Error, report.CodeGap, report.Problem{File: path, Key: key, Language: l.Code,
						Problem: "no translation in this language"}, "translate it at the service, or in this file")
				}
			}
		}
	}
}
