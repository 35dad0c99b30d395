package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// decision is the options of a push with what they say about conflicts in one spelling. It refuses what cannot be
// about any conflict: both sides, a choice of conflicts without a side, a language that is none of those known.
func decision(o push.Options, known []string) (push.Options, error) {
	switch chosen := len(o.Keys)+len(o.Languages) > 0; {
	case o.Translations && (o.Ours || o.Theirs):
		return o, &failure.UsageError{Err: errors.New("--translations decides all texts that the two sides never agreed " +
			"on for the repository, --ours and --theirs single " +
			"conflicts; use one of them at a time")}
	case o.Ours && o.Theirs:
		return o, &failure.UsageError{Err: errors.New("a conflict is decided for one side: either ours or theirs")}
	case (chosen || o.Alone) && !o.Ours && !o.Theirs:
		return o, &failure.UsageError{Err: errors.New("--key and --language choose conflicts to decide; add " +
			"--ours or --theirs, and to push one file use --file")}
	}
	o.Files = slices.Clone(o.Files)
	for i, file := range o.Files {
		o.Files[i] = path.Clean(filepath.ToSlash(file))
	}
	return o, translated(o.Languages, known)
}

// translated refuses languages that are none of those known.
func translated(languages, known []string) error {
	for _, language := range languages {
		if slices.Contains(known, language) {
			continue
		}
		hint := `choose from "` + strings.Join(known, `", "`) + `"`
		if near := spell.Nearest(language, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return &failure.UsageError{Err: fmt.Errorf("nothing is translated into %q; %s", language, hint)}
	}
	return nil
}

// nameUndecidable names what was to be decided about and is in no conflict: not in one of any branch or project, when
// all could be looked at.
func nameUndecidable(o push.Options, reports []push.Report) {
	looked := slices.IndexFunc(reports, func(p push.Report) bool { return p.Decidable != nil })
	if looked < 0 || slices.ContainsFunc(reports, func(p push.Report) bool { return p.Error != "" }) {
		return
	}
	there := make(map[push.Decidable]bool)
	for _, p := range reports {
		for d, meant := range p.Decidable {
			there[d] = there[d] || meant
		}
	}
	all := slices.SortedFunc(maps.Keys(there), func(a, b push.Decidable) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Language, b.Language), cmp.Compare(a.Key, b.Key))
	})
	meant := slices.DeleteFunc(slices.Clone(all), func(d push.Decidable) bool { return !there[d] })
	var idle []report.Problem // keys, languages and files of no conflict that is meant
	for i, values := range o.Choices() {
		for _, value := range values {
			if slices.ContainsFunc(meant, func(d push.Decidable) bool { return d.Names()[i] == value }) {
				continue
			}
			names := [3]string{"", strings.Join(o.Languages, ", "), strings.Join(o.Files, ", ")}
			names[i] = value
			idle = append(idle, report.Problem{Key: names[0], Language: names[1], File: names[2]})
		}
		if len(meant) == 0 && len(idle) > 0 {
			break // the first of them names all that was chosen
		}
	}
	for _, p := range idle {
		p.Code = report.CodeNoConflict
		p.Problem = "has no conflict" + instead(p.Key, all) + "; locsync status lists all keys that have one"
		reports[looked].Problems = append(reports[looked].Problems, p.Advised())
	}
}

// instead names the conflicts that were perhaps meant: those of the same key elsewhere, or of one with a similar name,
// else all of them.
func instead(key string, all []push.Decidable) string {
	near := slices.DeleteFunc(slices.Clone(all), func(d push.Decidable) bool { return d.Key != key })
	if len(near) == 0 {
		near = all
	}
	var keys, named []string
	for _, d := range near {
		keys, named = append(keys, d.Key), append(named, d.String())
	}
	switch similar := spell.Nearest(key, keys); {
	case len(near) == 0:
		return ""
	case key != "" && similar != "" && !slices.Contains(keys, key):
		return fmt.Sprintf("; did you mean %q?", similar)
	}
	return "; these have: " + report.Some(named, 5)
}
