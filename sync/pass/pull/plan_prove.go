package pull

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Render is what is proven. A test replaces it by a faulty one.
var Render = bundle.Render

// Rendered is bundle.Render with a proof: a second reader, which knows nothing of the grammars, has to find exactly
// these changes. Else the error is an *unproven, and the file is to be left as it is.
func Rendered(
	known *oracle.Catalogs, b *bundle.Bundle, like, old *resource.File, l config.Language, changes []catalog.Change,
) ([]byte, []bundle.Refused, error) {
	out, refused, err := Render(b, like, old, l, changes)
	if err != nil || old != nil && bytes.Equal(out, old.Bytes()) {
		return out, refused, err
	}
	left := make(map[catalog.Name]bool, len(refused))
	for _, r := range refused {
		left[r.Name] = true
	}
	var edits []resource.Edit
	for _, c := range changes {
		if !left[c.Name] {
			edits = append(edits, bundle.EditOf(c))
		}
	}
	of := old
	if old == nil {
		of = bundle.FreshSource(like, l)
	}
	made := make([]oracle.Change, 0, len(edits))
	for _, e := range of.SpelledEdits(edits) { // the second reader knows no plurals of keys
		made = append(made, oracle.Change{Key: e.Key, Form: e.Form, Text: e.Text, Gone: e.Op == resource.Remove})
	}
	rule := func(l config.Language) oracle.Rule {
		keys := b.Keys(l)
		return oracle.Rule{Format: b.Format.Reader(), Separator: keys.Separator, Roots: keys.Roots,
			Translated: keys.Translated, Forms: b.Format.Forms(), Language: keys.Language, Catalogs: known}
	}
	if old != nil {
		err = rule(l).Prove(old.Bytes(), out, made)
	} else {
		err = rule(b.Source).ProveNew(like.Bytes(), out, made, rule(l))
	}
	if err != nil {
		return nil, refused, &unproven{err}
	}
	return out, refused, nil
}

// unproven is a file that would not have become what it was to become.
type unproven struct{ error }

func (u *unproven) Unwrap() error { return u.error }

// HeldBack is the problem of a file that could not be rendered, or not be proven.
func HeldBack(path string, l config.Language, err error) report.Problem {
	p := report.Problem{Code: report.CodeWrite, File: path, Language: l.Code,
		Problem: "is left as it is: " + err.Error() + "; until that is settled, make the change by hand"}
	u, is := errors.AsType[*unproven](err)
	if !is {
		return p
	}
	why := u.Error()
	if d, is := errors.AsType[*oracle.Difference](err); is {
		p.Key, why = d.Key, d.What
	}
	p.Problem = fmt.Sprintf("the file is left as it is: a second reader does not find in it what was to be written (%s). "+
		"That is a fault of locsync, so please report it with this file; until then, make the change by hand", why)
	return p
}
