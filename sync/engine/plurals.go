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
		r.problem(Problem{File: x.Path, Key: u.Key, Language: x.Language.Code, Problem: fmt.Sprintf("the translation %q is left out: the source has plural forms as keys of "+
			"their own, and this message cannot be taken apart into such; write one form for each category at the service, with nothing but the number filled in", u.Text)})
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

// spread takes apart the messages of keys that the source has a plural of keys for: files where that has files/one and files/other. Those that cannot be
// taken apart are left.
func spread(source, theirs catalog.Catalog, separator string, from config.Language, categories []plural.Category) (all, left catalog.Catalog) {
	known := source.Keys()
	isMessage := func(u catalog.Unit) bool { return u.Form == "" && !known[u.Key] && strings.Contains(u.Text, "plural") }
	if !slices.ContainsFunc(theirs, isMessage) {
		return theirs, nil
	}
	of, index := relativesIn(source, separator, from), source.Index()
	for _, u := range theirs {
		before, other := of.basedOn(u.Key)
		if !isMessage(u) || before == "" {
			all = append(all, u)
			continue
		}
		number := ""
		if signs := countName.FindAllString(source[index[other]].Text, -1); len(signs) == 1 {
			number = signs[0]
		}
		_, forms, ok := plural.Split(u.Text, number)
		if !ok {
			left = append(left, u)
		}
		for _, f := range forms {
			if plural.Has(categories, f.Category) {
				all = append(all, catalog.Unit{Name: catalog.Name{Key: before + f.Category}, Text: f.Text, Note: u.Note})
			}
		}
	}
	return all, left
}

// countName is the placeholder that Rails and i18next put the number of a plural in.
var countName = regexp.MustCompile(`%\{count\}|\{\{-? ?count ?\}\}`)

// basedOn is the plural of keys that has a name: what its keys have before the category, and the key of "other"; "" for none.
func (r *relatives) basedOn(name string) (before string, other catalog.Name) {
	for _, sign := range []string{r.separator, "_", "."} {
		if n, ok := r.others[name+sign]; ok && sign != "" {
			return name + sign, n
		}
	}
	return "", other
}

func fit(source, theirs catalog.Catalog, categories []plural.Category) catalog.Catalog {
	var fitted catalog.Catalog
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

// widened are a source's texts, and behind the form "other" of a plural that is spelled as keys those further forms that the given texts of the target
// language have: file_few beside file_other. They stand for what the source says in "other". All of CLDR's categories count, for by which
// rules a program chooses is not known: Rails' Serbian has "many". In a nested file the further forms may be the map that a language
// has in the place of the source's single text: million/one and million/other where the source has million.
func widened(source catalog.Catalog, separator string, from config.Language, texts ...catalog.Catalog) catalog.Catalog {
	further := make(map[catalog.Name][]catalog.Name) // by the source's form that stands for the others
	var of *relatives
	var known map[string]bool
	for _, c := range texts {
		for _, u := range c {
			if u.Form != "" || !mayBeRelated(u.Key, separator) {
				continue
			}
			if known == nil {
				known = source.Keys()
			}
			if known[u.Key] {
				continue
			}
			if of == nil {
				of = relativesIn(source, separator, from)
			}
			if other, ok := of.other(u.Key); ok {
				known[u.Key] = true
				further[other] = append(further[other], u.Name)
			}
		}
	}
	if len(further) == 0 {
		return source
	}
	wide := make(catalog.Catalog, 0, len(source)+len(further))
	for _, u := range source {
		wide = append(wide, u)
		names := further[u.Name]
		slices.SortFunc(names, func(a, b catalog.Name) int { return plural.Compare(lastWord(a.Key), lastWord(b.Key)) })
		for _, n := range names {
			wide = append(wide, catalog.Unit{Name: n, Text: u.Text})
		}
	}
	return wide
}

// numbered cuts the number off a key of i18next's third version, which counts the forms of languages that have other than two.
func numbered(key string) (base string, ok bool) {
	at := len(key) - len("_0")
	if at <= 0 || key[at] != '_' || key[at+1] < '0' || key[at+1] > '5' {
		return "", false
	}
	return key[:at], true
}

// mayBeRelated is a quick look whether a key can be one form of a plural that is spelled as keys.
func mayBeRelated(key, separator string) bool {
	if at := strings.LastIndex(key, separator); separator != "" && at >= 0 && plural.IsCategory(key[at+len(separator):]) {
		return true
	}
	_, counted := numbered(key)
	return counted || plural.IsCategory(lastWord(key))
}

// lastWord is what stands behind the last sign that libraries put before a category.
func lastWord(key string) string { return key[strings.LastIndexAny(key, "_./")+1:] }

// relatives knows the plurals of a source that are spelled as keys.
type relatives struct {
	separator string
	keys      map[string]bool         // of the source
	others    map[string]catalog.Name // by what stands before the category, its separator included: the key of "other"
	pairs     map[string]catalog.Name // key -> key_plural, of i18next's third version
}

// relativesIn finds a source's plurals. A key that ends in "other" is one's when the source has another form of it, or its language has no other. In
// a nested file the map must hold nothing but categories.
func relativesIn(source catalog.Catalog, separator string, from config.Language) *relatives {
	keys := source.Keys()
	r := &relatives{separator: separator, keys: keys, others: make(map[string]catalog.Name), pairs: make(map[string]catalog.Name)}
	alone := len(plural.Categories(from.Code)) == 1
	mixed := make(map[string]bool) // maps that hold other names
	for key := range keys {
		if separator == "" {
			break
		}
		for at := 0; ; {
			next := strings.Index(key[at:], separator)
			name, rest := key[at:], ""
			if next >= 0 {
				name, rest = key[at:at+next], key[at+next:]
			}
			if rest != "" || !plural.IsCategory(name) {
				mixed[key[:at]] = true
			}
			if next < 0 {
				break
			}
			at += next + len(separator)
		}
	}
	for _, u := range source {
		if u.Form != "" {
			continue
		}
		if base, ok := strings.CutSuffix(u.Key, "_plural"); ok && keys[base] {
			r.pairs[base] = u.Name
		}
		before, ok := strings.CutSuffix(u.Key, plural.Other)
		if !ok || before == "" || !r.splits(before) || separator != "" && strings.HasSuffix(before, separator) && mixed[before] {
			continue
		}
		for _, category := range []string{plural.Zero, plural.One, plural.Two, plural.Few, plural.Many} {
			if alone || keys[before+category] {
				r.others[before] = u.Name
			}
		}
	}
	return r
}

// splits reports whether a key's beginning ends with a sign that may stand before a category.
func (r *relatives) splits(before string) bool {
	return strings.ContainsAny(before[len(before)-1:], "_./") || r.separator != "" && strings.HasSuffix(before, r.separator)
}

// other is the source's key for what a key of the target language is a further form of: that of "other", or a single text; ok is false when it is no
// form of anything.
func (r *relatives) other(key string) (n catalog.Name, ok bool) {
	if base, counted := numbered(key); counted {
		n, ok = r.pairs[base]
		return n, ok
	}
	for _, category := range []string{plural.Zero, plural.One, plural.Two, plural.Few, plural.Many, plural.Other} {
		before, is := strings.CutSuffix(key, category)
		if !is {
			continue
		}
		if single := r.inMap(before); single != "" {
			return catalog.Name{Key: single}, true
		}
		if n, ok = r.others[before]; ok {
			return n, true
		}
	}
	return n, false
}

// inMap is the source's single text that stands where the target has a map, given the beginning of the map's keys; "" for none.
func (r *relatives) inMap(before string) string {
	if single, is := strings.CutSuffix(before, r.separator); r.separator != "" && is && r.keys[single] {
		return single
	}
	return ""
}

// pluralsWhole takes out the changes of plurals that lack a form which the language or the program needs, and reports them. Forms that the
// language does not have and that only repeat the source go where a plural gets translations.
func (r *pulling) pluralsWhole(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	r.mapsKept(x, source, in, result)
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
		if findings := wanting(x.Sources[0], x.Language, key, of[key].forms, have[key].forms); len(findings) > 0 {
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

// mapsWhole takes out the changes of Rails' plural maps that would have forms and lack "other": Rails raises an error on such a map, and shows that a
// translation is missing where there is none at all. Other libraries fall back to another language.
func (r *pulling) mapsWhole(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	b := x.Sources[0]
	if b.Format.Name != rails || len(result.Changes) == 0 {
		return
	}
	of := relativesIn(source, b.Separator, b.Source)
	after := make(map[string]string, len(in.Ours))
	for _, u := range in.Ours {
		after[u.Key] = u.Text
	}
	for _, c := range result.Changes {
		after[c.Key] = c.Text // "" when it is removed
	}
	bad := make(map[string]string)
	for _, c := range result.Changes {
		if other := of.mapOf(c.Key); c.Op != catalog.Removed && other != "" && after[other] == "" && !b.Files.Skips(check.Plurals, c.Key) {
			bad[other] = lacksOther
		}
	}
	r.leave(x, in, result, bad, func(n catalog.Name) string { return of.mapOf(n.Key) })
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
			r.problem(Problem{File: x.Path, Key: c.Key, Language: x.Language.Code, Problem: "the translation is left out: " + bad[key] +
				"; correct it at the service, or switch the check off with skip_checks"})
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// lackingForms are the plurals of a file of translations that lack forms, by the key of a form that is there: Android's, which the system chooses by
// CLDR's rules, and Rails' maps without "other". By which rules other programs choose among keys is not known.
func lackingForms(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) map[string]string {
	lacks := make(map[string]string)
	of := pluralsOf(source)
	for key, s := range pluralsOf(texts) {
		if s.forms == nil || of[key].forms == nil {
			continue
		}
		for _, f := range wanting(b, l, key, of[key].forms, s.forms) {
			lacks[key] = f.Reason
		}
	}
	if b.Format.Name != rails {
		return lacks
	}
	in, has := relativesIn(source, b.Separator, b.Source), make(map[string]bool)
	for _, u := range texts {
		has[u.Key] = u.Text != ""
	}
	for _, u := range texts {
		other := in.mapOf(u.Key)
		if other != "" && has[u.Key] && !has[other] && !b.Files.Skips(check.Plurals, u.Key) {
			lacks[u.Key] = lacksOther
		}
	}
	return lacks
}

// rails is the format of Rails' files, in which plurals are maps.
const rails = "structured-yaml"

const lacksOther = `the plural lacks the form "other"`

// mapOf is the source's key for "other" in the map that a key is another form of; "" for none.
func (r *relatives) mapOf(key string) string {
	for _, category := range []string{plural.Zero, plural.One, plural.Two, plural.Few, plural.Many} {
		if before, is := strings.CutSuffix(key, category); is && strings.HasSuffix(before, r.separator) {
			return r.others[before].Key
		}
	}
	return ""
}

// ownForms are a source's texts without the plural forms that a language does not have.
func ownForms(source catalog.Catalog, l config.Language) catalog.Catalog {
	if !slices.ContainsFunc(source, func(u catalog.Unit) bool { return isForm(u.Form) }) {
		return source
	}
	categories := plural.Categories(l.Code)
	return slices.DeleteFunc(slices.Clone(source), func(u catalog.Unit) bool { return isForm(u.Form) && !plural.Has(categories, u.Form) })
}

// skips says for a key which checks its files are configured without.
func skips(b *bundle.Bundle, key string) func(string) bool {
	return func(name string) bool { return b.Files.Skips(name, key) }
}

// inspect checks one translation against its source's texts: the one of the same name, or of "other" where the source has no such form.
func inspect(b *bundle.Bundle, l config.Language, source catalog.Catalog, index map[catalog.Name]int, n catalog.Name, text string) []check.Finding {
	at, ok := index[n]
	if !ok {
		at, ok = index[catalog.Name{Key: n.Key, Form: plural.Other}]
	}
	if !ok {
		return nil
	}
	return check.Translation(check.Input{Format: b.Format.Name, Key: n.Key, Form: n.Form, Source: source[at].Text, Translation: text,
		Language: l.Code, SourceLanguage: b.Source.Code, Skip: skips(b, n.Key)})
}

// widen is widened for a pull. A form that the service accepted from the source file once, and that is gone from there, does not come back by
// the service's translations of it.
func (r *pulling) widen(x translated, source, ours catalog.Catalog) (catalog.Catalog, error) {
	b := x.Sources[0]
	wide := widened(source, b.Separator, b.Source, ours, x.texts)
	if len(wide) == len(source) {
		return source, nil
	}
	known, here := source.Keys(), ours.Keys()
	gone, err := r.replaced(x, source, ours)
	if err != nil {
		return nil, err
	}
	for _, b := range x.Sources {
		pushed, err := r.State.Marks(r.pushedSlot(sourcePlace{b.Collection, b.Path}))
		if err != nil {
			return nil, err
		}
		for n := range pushed {
			gone[n.Key] = gone[n.Key] || !known[n.Key] && !here[n.Key]
		}
	}
	return slices.DeleteFunc(wide, func(u catalog.Unit) bool { return gone[u.Key] }), nil
}

// replaced are the keys of the repository's maps that stand where the source has a single text and the service has a translation of that which was not
// merged before. With the translation that was merged last, the map is somebody's change.
func (r *pulling) replaced(x translated, source, ours catalog.Catalog) (map[string]bool, error) {
	gone := make(map[string]bool)
	of, theirs := relativesIn(source, x.Sources[0].Separator, x.Sources[0].Source), x.texts.Index()
	var base catalog.Marks
	for _, u := range ours {
		single, is := of.single(u.Key)
		at, there := theirs[catalog.Name{Key: single}]
		if !is || !there || x.texts[at].Text == "" {
			continue
		}
		if base == nil {
			var err error
			if base, err = r.State.Marks(r.slot(kindMerged, x.Path, x.Language.Code)); err != nil {
				return nil, err
			}
		}
		gone[u.Key] = !base.Has(x.texts[at].Name, x.texts[at].Text)
	}
	return gone, nil
}

// single is the source's single text that stands where a key of the target is part of a map.
func (r *relatives) single(key string) (single string, ok bool) {
	at := strings.LastIndex(key, r.separator)
	if r.separator == "" || at < 0 || r.keys[key] || !plural.IsCategory(key[at+len(r.separator):]) {
		return "", false
	}
	return key[:at], r.keys[key[:at]]
}

// mapsKept takes out the additions of single texts in whose place the repository has a map, which no file can hold beside it.
func (r *pulling) mapsKept(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	b, living := x.Sources[0], source.Keys()
	if b.Separator == "" || len(result.Changes) == 0 {
		return
	}
	kept := make(map[string]bool)
	for _, u := range in.Ours {
		if at := strings.LastIndex(u.Key, b.Separator); at >= 0 && living[u.Key] && living[u.Key[:at]] {
			kept[u.Key[:at]] = true
		}
	}
	result.Changes = slices.DeleteFunc(result.Changes, func(c catalog.Change) bool {
		if c.Op == catalog.Removed || !kept[c.Key] {
			return false
		}
		result.Leave(in.Base, c.Name)
		return true
	})
}

// kindFurther is the texts of a target file that were sent for keys that the source does not have: further forms of plurals.
const kindFurther = "further"

func (m memory) further() bool { return slices.Contains(m.Kinds, kindFurther) }

// eachKind calls send with the texts of a push that the source has keys for, and then with those further forms of plurals that it has none for. They
// travel in an import of their own: a service that knows no source text for them leaves them out, and the other keys must not wait for that.
func (r *pushing) eachKind(target bundle.Target, sent catalog.Catalog, send func(sent catalog.Catalog, further bool) error) error {
	source, ok := r.tree.sourceTexts(target)
	if !ok {
		return send(sent, false)
	}
	keys := source.Keys()
	known := sent.Restrict(keys)
	if err := send(known, false); err != nil || len(known) == len(sent) {
		return err
	}
	return send(slices.DeleteFunc(slices.Clone(sent), func(u catalog.Unit) bool { return keys[u.Key] }), true)
}

// furtherProblem says that the service left forms out that the source language does not have. They are not sent again until somebody changes them.
func furtherProblem(f jobFile, language string) Problem {
	var keys []string
	for _, u := range f.Units {
		keys = append(keys, u.Key)
	}
	return Problem{File: f.Memory.Path, Language: language, Problem: "the service has no source text for plural forms that only this language has (" + strings.Join(keys, ", ") +
		"); they stay in the repository. To have them translated at the service, write them into the source file as well"}
}
