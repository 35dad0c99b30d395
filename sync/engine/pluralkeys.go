package engine

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/plural"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/state"
)

// widened are a source's texts, and behind the form "other" of a plural that is spelled as keys those further forms that the given texts of the target
// language have: file_few beside file_other. They stand for what the source says in "other". All of CLDR's categories count, for by which
// rules a program chooses is not known: Rails' Serbian has "many". In a nested file the further forms may be the map that a language
// has in the place of the source's single text: million/one and million/other where the source has million. The other way round, one text may
// stand where the source has a plural, user where that has user/one and user/other: in the repository's texts, when they do not have the plural's
// "other" as well.
func widened(source catalog.Catalog, separator string, from config.Language, ours catalog.Catalog, theirs ...catalog.Catalog) catalog.Catalog {
	further := make(map[catalog.Name][]catalog.Name) // by the source's form that stands for the others
	var of *relatives
	var known map[string]bool
	var here map[string]bool // keys with a text of the repository's, once they are asked for
	counted := slices.ContainsFunc(source, func(u catalog.Unit) bool { return u.Form == "" && strings.HasSuffix(u.Key, plural.Other) })
	for i, c := range append([]catalog.Catalog{ours}, theirs...) {
		for _, u := range c {
			related := mayBeRelated(u.Key, separator)
			if u.Form != "" || !related && (!counted || i > 0) {
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
			other, ok := catalog.Name{}, false
			if related {
				other, ok = of.other(u.Key)
			}
			if before, in := of.basedOn(u.Key); !ok && before != "" && i == 0 && u.Text != "" {
				if here == nil {
					here = translatedKeys(ours)
				}
				other, ok = in, !here[in.Key]
			}
			if ok {
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

// translatedKeys are the keys that have a text and not only a blank.
func translatedKeys(texts catalog.Catalog) map[string]bool {
	keys := make(map[string]bool, len(texts))
	for _, u := range texts {
		keys[u.Key] = keys[u.Key] || u.Text != ""
	}
	return keys
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

// besideOther are the categories that a plural may have beside "other".
var besideOther = plural.Order[:len(plural.Order)-1]

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
		for _, category := range besideOther {
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
	for _, category := range plural.Order {
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

// single is the source's single text that stands where a key of the target is part of a map.
func (r *relatives) single(key string) (single string, ok bool) {
	at := strings.LastIndex(key, r.separator)
	if r.separator == "" || at < 0 || r.keys[key] || !plural.IsCategory(key[at+len(r.separator):]) {
		return "", false
	}
	return key[:at], r.keys[key[:at]]
}

// mapOf is the source's key for "other" in the map that a key is another form of; "" for none.
func (r *relatives) mapOf(key string) string {
	for _, category := range besideOther {
		if before, is := strings.CutSuffix(key, category); is && strings.HasSuffix(before, r.separator) {
			return r.others[before].Key
		}
	}
	return ""
}

// basedOn is the plural of keys that has a name: what its keys have before the category, and the key of "other"; "" for none.
func (r *relatives) basedOn(name string) (before string, other catalog.Name) {
	for _, sign := range []string{r.separator, "_", "."} {
		if n, ok := r.others[name+sign]; ok && sign != "" {
			return name + sign, n
		}
	}
	return "", other
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

// widen is widened for a pull, beside what stands apart of it. A form that the service accepted from the source file once, and that is gone from there,
// does not come back by the service's translations of it.
//
// away are the keys that give way to what comes in their place.
func (r *pulling) widen(x translated, m *merged, source, ours catalog.Catalog) (wide catalog.Catalog, stand map[string]apart, away map[string]bool, err error) {
	b := x.Sources[0]
	wide = widened(source, b.Separator, b.Source, ours, x.texts)
	if len(wide) == len(source) {
		return source, nil, nil, nil
	}
	known, here := source.Keys(), ours.Keys()
	gone := make(map[string]bool)
	if stand, err = r.standing(x, m, relativesIn(source, b.Separator, b.Source), ours, gone); err != nil {
		return nil, nil, nil, err
	}
	away = maps.Clone(gone)
	for _, b := range x.Sources {
		pushed, err := r.State.Marks(r.pushedSlot(sourcePlace{b.Collection, b.Path}))
		if err != nil {
			return nil, nil, nil, err
		}
		for n := range pushed {
			gone[n.Key] = gone[n.Key] || !known[n.Key] && !here[n.Key]
		}
	}
	return slices.DeleteFunc(wide, func(u catalog.Unit) bool { return gone[u.Key] }), stand, away, nil
}

// carried gives further forms of a plural of keys the names that the plural has now: file_few becomes doc_few where file_other goes and doc_other
// comes with the same text, and with no other candidate for either. The service does not have such forms, so nothing else would bring them.
func carried(in catalog.Three, result *catalog.Merged) {
	ours := in.Ours.Index()
	type text struct{ sign, text string } // what stands before "other" has to end alike
	goes, comes := make(map[text][]string), make(map[text][]string)
	for _, c := range result.Changes {
		before, is := strings.CutSuffix(c.Key, plural.Other)
		if !is || before == "" || c.Form != "" {
			continue
		}
		sign := before[len(before)-1:]
		if at, here := ours[c.Name]; here && c.Op == catalog.Removed {
			id := text{sign, in.Ours[at].Text}
			goes[id] = append(goes[id], before)
		} else if c.Op == catalog.Added {
			id := text{sign, c.Text}
			comes[id] = append(comes[id], before)
		}
	}
	if len(goes) == 0 || len(comes) == 0 {
		return
	}
	became := make(map[string]string)
	for id, from := range goes {
		if to := comes[id]; len(from) == 1 && len(to) == 1 && id.text != "" {
			became[from[0]] = to[0]
		}
	}
	named := make(map[string]bool)
	for _, c := range result.Changes {
		named[c.Key] = named[c.Key] || c.Op != catalog.Removed
	}
	for _, c := range slices.Clone(result.Changes) {
		for _, category := range besideOther {
			before, is := strings.CutSuffix(c.Key, category)
			to, moved := became[before]
			if !is || !moved || c.Op != catalog.Removed || c.Form != "" || named[to+category] {
				continue
			}
			n := catalog.Name{Key: to + category}
			if _, here := ours[n]; !here {
				result.Changes = append(result.Changes, catalog.Change{Op: catalog.Added, Name: n, Text: in.Ours[ours[c.Name]].Text})
			}
		}
	}
}

// mapsWhole takes out the changes of Rails' plural maps that would have forms and raise an error for some number. Where there are no forms at all Rails
// shows that a translation is missing. Other libraries fall back to another language.
func (r *pulling) mapsWhole(x translated, source catalog.Catalog, in catalog.Three, result *catalog.Merged) {
	b := x.Sources[0]
	if b.Format.Name != rails || len(result.Changes) == 0 {
		return
	}
	of := relativesIn(source, b.Separator, b.Source)
	after, changed := make(map[string]string, len(in.Ours)), make(map[string]bool)
	for _, u := range in.Ours {
		after[u.Key] = u.Text
	}
	for _, c := range result.Changes {
		after[c.Key] = c.Text // "" when it is removed
		changed[of.mapOf(c.Key)] = c.Op != catalog.Removed || changed[of.mapOf(c.Key)]
	}
	var texts catalog.Catalog
	for _, key := range slices.Sorted(maps.Keys(after)) {
		texts = append(texts, catalog.Unit{Name: catalog.Name{Key: key}, Text: after[key]})
	}
	bad := make(map[string]string)
	for _, m := range railsMaps(b, x.Language, source, texts) {
		if changed[m.other] {
			bad[m.other] = m.Reason
		}
	}
	r.leave(x, in, result, bad, func(n catalog.Name) string { return of.mapOf(n.Key) })
}

// railsMap is a plural of Rails that lacks forms: the source's key for "other", and the first key that is there.
type railsMap struct {
	other, first string
	check.Finding
}

// railsMaps are the plurals of texts for which Rails would raise an error. It takes "zero" for 0 where that is there.
func railsMaps(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) (all []railsMap) {
	of := relativesIn(source, b.Separator, b.Source)
	at := make(map[string]int)
	var forms []check.Plural
	for _, u := range texts {
		other := of.mapOf(u.Key)
		if other == "" && of.others[strings.TrimSuffix(u.Key, plural.Other)].Key == u.Key {
			other = u.Key
		}
		if other == "" || u.Text == "" {
			continue
		}
		i, ok := at[other]
		if !ok {
			i = len(all)
			at[other] = i
			all = append(all, railsMap{other: other, first: u.Key})
			forms = append(forms, check.Plural{Source: []string{plural.Other}, Language: l.Code, SourceLanguage: b.Source.Code, Skip: skips(b, u.Key)})
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

// rails is the format of Rails' files, in which plurals are maps.
const rails = "structured-yaml"

// kindFurther is the texts of a target file that were sent for keys that the source does not have, further forms of plurals, and that the service left out.
const kindFurther = "further"

func (m memory) further() bool { return slices.Contains(m.Kinds, kindFurther) }

// taken forgets that the service left out texts that it has taken now.
func (p *project) taken(tx *state.Tx, m memory, units []accept) error {
	slot := p.slot(kindFurther, m.Path, m.Language)
	if m.further() || !tx.HasMarks(slot) {
		return nil
	}
	declined, err := tx.Marks(slot)
	if err != nil {
		return err
	}
	for _, u := range units {
		delete(declined, u.Name)
	}
	return tx.SetMarks(slot, declined)
}

// eachKind calls send with the texts of a push that the source has keys for, and then with those further forms of plurals that it has none for. They
// travel in an import of their own: a service that knows no source text for them leaves them out, and the other keys must not wait for that. What it left out
// before is offered again with --all only.
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
	declined, err := r.State.Marks(r.slot(kindFurther, target.Path, target.Language.Code))
	if err != nil {
		return err
	}
	return send(slices.DeleteFunc(slices.Clone(sent), func(u catalog.Unit) bool {
		return keys[u.Key] || declined.Has(u.Name, u.Text) && !r.o.All
	}), true)
}

// furtherProblem says that the service left out what the source language does not have: forms, and single texts where the source has a plural. They
// are not sent again until somebody changes them.
func furtherProblem(f jobFile, language string) report.Problem {
	var forms, singles []string
	for _, u := range f.Units {
		if mayBeRelated(u.Key, "") {
			forms = append(forms, u.Key)
		} else {
			singles = append(singles, u.Key)
		}
	}
	var what, advice []string
	if len(forms) > 0 {
		what = append(what, "plural forms that only this language has ("+strings.Join(forms, ", ")+")")
		advice = append(advice, "To have the forms translated at the service, write them into the source file as well")
	}
	if len(singles) > 0 {
		what = append(what, "texts that only this language has in the place of a plural ("+strings.Join(singles, ", ")+")")
		advice = append(advice, "To have the plurals translated at the service, write their forms in the place of the single texts")
	}
	return report.Problem{File: f.Memory.Path, Language: language, Problem: "the service has no source text for " + strings.Join(what, " and ") +
		"; they stay in the repository. " + strings.Join(advice, ". ")}
}
