package engine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/plural"
)

// A plural is spelled in one of three ways, and the target language has other categories than the source:
//
//	forms      the texts of one key (Android). The service may answer with one ICU message instead, and the other way round: fitted
//	a message  one text, in ICU's grammar. Nothing is to be done for it; a check looks at its branches
//	keys       of their own: files/one and files/other in Rails' maps, file_one and file_other or file and file_plural in i18next. They
//	           are ordinary keys, but those that a target file has in addition belong to the source's: widened. A service that knows
//	           such plurals may answer with a message here, too: spread
//
// The shape that the source file has is the one that is written.

// fitted gives the service's texts for a target the shape that its source has, and leaves out the plural forms that the target language does not
// have. What cannot be brought into that shape without a loss stays as it is, and is reported when it is merged.
func (t *tree) fitted(target bundle.Target, theirs catalog.Catalog) catalog.Catalog {
	texts, _ := t.fittedOrLeft(target, theirs)
	return texts
}

// fitted is the tree's, and reports what it could not do anything with.
func (r *pulling) fitted(t *tree, x translated) catalog.Catalog {
	texts, left := t.fittedOrLeft(x.Target, x.texts)
	for _, u := range left {
		r.leaveOut(x, u.Key, fmt.Sprintf("the translation %q is left out: the source has plural forms as keys of "+
			"their own, and this message cannot be taken apart into such; write one form for each category at the service, with nothing but the number filled in", u.Text))
	}
	return texts
}

// fittedOrLeft is fitted, beside the messages of plurals of keys that could not be taken apart.
func (t *tree) fittedOrLeft(target bundle.Target, theirs catalog.Catalog) (texts, left catalog.Catalog) {
	if !slices.ContainsFunc(theirs, func(u catalog.Unit) bool { return isForm(u.Form) || strings.Contains(u.Text, "plural") }) {
		return theirs, nil
	}
	source, ok := t.sourceTexts(target)
	if !ok {
		return theirs, nil
	}
	b, categories := target.Sources[0], plural.Categories(target.Language.Code)
	theirs, left = spread(source, theirs, b.Separator, b.Source, categories)
	return fit(source, theirs, categories), left
}

func fit(source, theirs catalog.Catalog, categories []plural.Category) catalog.Catalog {
	fitted := make(catalog.Catalog, 0, len(theirs))
	of := pluralsOf(source)
	joined := make(map[string]bool)
	for _, u := range theirs {
		s := of[u.Key]
		switch {
		case u.Form == "" && s.forms != nil && !s.single:
			fitted = append(fitted, taken(u, s, categories)...)
		case isForm(u.Form) && s.single && s.forms == nil:
			if !joined[u.Key] {
				joined[u.Key] = true
				fitted = append(fitted, together(u.Key, s.text, theirs)...)
			}
		case isForm(u.Form) && !plural.Has(categories, u.Form):
		default:
			fitted = append(fitted, u)
		}
	}
	return fitted
}

// isForm reports whether a form is a plural category.
func isForm(form string) bool { return form != "" && !isItem(form) }

// spelled is how a key of the source stands there. Android may have a plural and a single text of one name, which are two keys to it.
type spelled struct {
	single bool
	text   string            // the single one
	forms  map[string]string // by category; nil for none
}

func pluralsOf(source catalog.Catalog) map[string]spelled {
	all := make(map[string]spelled, len(source))
	for _, u := range source {
		s := all[u.Key]
		switch {
		case u.Form == "":
			s.single, s.text = true, u.Text
		case isForm(u.Form):
			if s.forms == nil {
				s.forms = make(map[string]string)
			}
			s.forms[u.Form] = u.Text
		}
		all[u.Key] = s
	}
	return all
}

// numberSign is a printf placeholder that a whole number fills in.
var numberSign = regexp.MustCompile(`%(?:\d+\$)?,?d`)

// taken are the forms of an ICU message that stands for a plural of the source; the message itself where it cannot be taken apart. Where the message has
// a #, the forms get the source's placeholder for a number, if it has but one.
func taken(u catalog.Unit, source spelled, language []plural.Category) catalog.Catalog {
	number := ""
	if signs := numberSign.FindAllString(source.forms[plural.Other], -1); len(signs) == 1 {
		number = signs[0]
	}
	_, forms, ok := plural.Split(u.Text, number)
	if !ok {
		return catalog.Catalog{u}
	}
	var texts catalog.Catalog
	for _, f := range forms {
		if plural.Has(language, f.Category) {
			texts = append(texts, catalog.Unit{Name: catalog.Name{Key: u.Key, Form: f.Category}, Text: f.Text, Note: u.Note})
		}
	}
	return texts
}

// together is the ICU message of a key's forms, whose source is such a message; the forms themselves where it is none. Forms that are sound
// branches as they are stay so, for the source's branches may have arguments and a # as well.
func together(key, source string, theirs catalog.Catalog) catalog.Catalog {
	var units catalog.Catalog
	var forms []plural.Form
	for _, u := range theirs {
		if u.Key == key && isForm(u.Form) {
			units = append(units, u)
			forms = append(forms, plural.Form{Category: u.Form, Text: u.Text})
		}
	}
	a, err := plural.ParseArgument(strings.TrimSpace(source))
	if err != nil || a.Type != "plural" || a.To != len(strings.TrimSpace(source)) {
		return units
	}
	plural.Sort(forms)
	message := "{" + a.Name + ", plural,"
	for _, f := range forms {
		message += " " + f.Category + " {" + f.Text + "}"
	}
	message += "}"
	if whole, err := plural.ParseArgument(message); err != nil || whole.To != len(message) || len(whole.Branches) != len(forms) {
		message = plural.Join(a.Name, forms)
	}
	return catalog.Catalog{{Name: catalog.Name{Key: key}, Text: message, Note: units[0].Note}}
}

// pluralsWhole takes out the changes of plurals that lack a form which the language or the program needs, and reports them. Forms that the
// language does not have and that only repeat the source go where a plural gets translations.
func (r *pulling) pluralsWhole(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	carried(in, result)
	r.mapsWhole(x, source, in, result)
	if !slices.ContainsFunc(result.Changes, func(c catalog.Change) bool { return isForm(c.Form) }) {
		return
	}
	of := pluralsOf(source)
	have := pluralsOf(in.Ours)
	fresh := make(map[string]bool)
	for _, c := range result.Changes {
		s := have[c.Key]
		switch {
		case !isForm(c.Form) || of[c.Key].forms == nil:
			continue
		case c.Op == catalog.Removed:
			delete(s.forms, c.Form)
		default:
			if s.forms == nil {
				s.forms = make(map[string]string)
			}
			s.forms[c.Form] = c.Text
			fresh[c.Key] = true
		}
		have[c.Key] = s
	}
	bad := make(map[string]string) // keys, and why they are left out
	for key := range fresh {
		if findings := check.Breaking(wanting(x.Sources[0], x.Language, key, of[key].forms, have[key].forms)); len(findings) > 0 {
			bad[key] = findings[0].Reason
		}
	}
	r.leave(x, in, result, bad, func(n catalog.Name) string {
		if !isForm(n.Form) {
			return ""
		}
		return n.Key
	})
	categories := plural.Categories(x.Language.Code)
	for _, u := range in.Ours {
		if fresh[u.Key] && bad[u.Key] == "" && isForm(u.Form) && !plural.Has(categories, u.Form) && u.Text == of[u.Key].forms[u.Form] {
			result.Changes = append(result.Changes, catalog.Change{Op: catalog.Removed, Name: u.Name})
		}
	}
}

// wanting checks the forms of a plural, those that are there only as a blank left out.
func wanting(b *bundle.Bundle, l config.Language, key string, source, forms map[string]string) []check.Finding {
	in := check.Plural{Source: slices.Collect(maps.Keys(source)), Language: l.Code, SourceLanguage: b.Source.Code, Skip: skips(b, key)}
	for form, text := range forms {
		if text != "" {
			in.Forms = append(in.Forms, form)
		}
	}
	return check.Forms(in)
}

// leave takes the changes of bad keys out of a merge's result and reports each of those keys once. of says
// which of them a name counts to; "" for none.
func (r *pulling) leave(x translated, in catalog.Three, result *catalog.Merged, bad map[string]string, of func(catalog.Name) string) {
	if len(bad) == 0 {
		return
	}
	told := make(map[string]bool)
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		key := of(c.Name)
		if c.Op == catalog.Removed || key == "" || bad[key] == "" {
			return false
		}
		if !told[key] {
			told[key] = true
			r.leaveOut(x, c.Key, "the translation is left out: "+bad[key]+"; correct it at the service, or switch the check off with skip_checks")
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// lackingForms are the plurals of a file of translations that lack forms, by the key of a form that is there: Android's, and those of Rails' maps for
// which Rails would raise an error. By which rules other programs choose among keys is not known.
func lackingForms(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) map[string]check.Finding {
	lacks := make(map[string]check.Finding)
	of := pluralsOf(source)
	for key, s := range pluralsOf(texts) {
		if s.forms == nil || of[key].forms == nil {
			continue
		}
		for _, f := range wanting(b, l, key, of[key].forms, s.forms) {
			lacks[key] = f
		}
	}
	if b.Format.Name != rails {
		return lacks
	}
	for _, m := range railsMaps(b, l, source, texts) {
		lacks[m.first] = m.Finding
	}
	return lacks
}

// ownForms are a source's texts without the plural forms that a language does not have.
func ownForms(source catalog.Catalog, l config.Language) catalog.Catalog {
	if !slices.ContainsFunc(source, func(u catalog.Unit) bool { return isForm(u.Form) }) {
		return source
	}
	categories := plural.Categories(l.Code)
	return slices.DeleteFunc(slices.Clone(source), func(u catalog.Unit) bool { return isForm(u.Form) && !plural.Has(categories, u.Form) })
}
