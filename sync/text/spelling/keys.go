package spelling

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// Widened are a source's texts, and behind the form "other" of a plural that is spelled as keys those further
// forms that the given texts of the target language have: file_few beside file_other. They represent what the
// source says in "other". All of CLDR's categories count, for by which rules a program chooses is not known:
// Rails' Serbian has "many". In a nested file the further forms may be the map that a language has
// instead of the source's single text: million/one and million/other where the source has million. The other
// way round, one text may stand where the source has a plural, user where that has user/one and user/other:
// in the repository's texts, when they do not have the plural's "other" as well.
func Widened(
	source catalog.Catalog, separator, from string, ours catalog.Catalog, theirs ...catalog.Catalog,
) catalog.Catalog {
	further := make(map[catalog.Name][]catalog.Name) // by the source's form that represents the others
	var of *Plurals
	var known map[string]bool
	var here map[string]bool // keys with a text of the repository's, once they are asked for
	counted := slices.ContainsFunc(source, func(u catalog.Unit) bool {
		return u.Form == "" && strings.HasSuffix(u.Key, plural.Other)
	})
	for i, c := range append([]catalog.Catalog{ours}, theirs...) {
		for _, u := range c {
			related := MayBeForm(u.Key, separator)
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
				of = PluralsIn(source, separator, from)
			}
			other, ok := catalog.Name{}, false
			if related {
				other, ok = of.other(u.Key)
			}
			if before, in := of.BasedOn(u.Key); !ok && before != "" && i == 0 && u.Text != "" {
				if here == nil {
					here = Translated(ours)
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

// Translated are the keys that have a text and not only a blank.
func Translated(texts catalog.Catalog) map[string]bool {
	keys := make(map[string]bool, len(texts))
	for _, u := range texts {
		keys[u.Key] = keys[u.Key] || u.Text != ""
	}
	return keys
}

// Numbered cuts the number off a key of i18next's third version, which counts the forms of languages that
// have other than two.
func Numbered(key string) (base string, ok bool) {
	at := len(key) - len("_0")
	if at <= 0 || key[at] != '_' || key[at+1] < '0' || key[at+1] > '5' {
		return "", false
	}
	return key[:at], true
}

// MayBeForm is a quick look whether a key can be one form of a plural that is spelled as keys.
func MayBeForm(key, separator string) bool {
	if at := strings.LastIndex(key, separator); separator != "" && at >= 0 && plural.IsCategory(key[at+len(separator):]) {
		return true
	}
	_, counted := Numbered(key)
	return counted || plural.IsCategory(lastWord(key))
}

// lastWord is what is behind the last sign that libraries put before a category.
func lastWord(key string) string { return key[strings.LastIndexAny(key, "_./")+1:] }

// BesideOther are the categories that a plural may have beside "other".
var BesideOther = plural.Order[:len(plural.Order)-1]

// Plurals knows the plurals of a source that are spelled as keys.
type Plurals struct {
	separator string
	Keys      map[string]bool         // of the source
	Others    map[string]catalog.Name // by what is before the category, its separator included: the key of "other"
	Pairs     map[string]catalog.Name // key -> key_plural, of i18next's third version
}

// PluralsIn finds a source's plurals. A key that ends in "other" is one's when the source has another form of
// it, or its language has no other. In a nested file the map must hold nothing but categories.
func PluralsIn(source catalog.Catalog, separator string, from string) *Plurals {
	keys := source.Keys()
	r := &Plurals{separator: separator, Keys: keys}
	r.Others, r.Pairs = make(map[string]catalog.Name), make(map[string]catalog.Name)
	alone := len(plural.Categories(from)) == 1
	mixed := mixedMaps(maps.Keys(keys), separator)
	for _, u := range source {
		if u.Form != "" {
			continue
		}
		if base, ok := strings.CutSuffix(u.Key, "_plural"); ok && keys[base] {
			r.Pairs[base] = u.Name
		}
		before, ok := strings.CutSuffix(u.Key, plural.Other)
		inMap := separator != "" && strings.HasSuffix(before, separator)
		if !ok || before == "" || !r.splits(before) || inMap && mixed[before] {
			continue
		}
		for _, category := range BesideOther {
			if alone || keys[before+category] {
				r.Others[before] = u.Name
			}
		}
	}
	return r
}

// splits reports whether a key's beginning ends with a sign that may be before a category.
func (r *Plurals) splits(before string) bool {
	return strings.ContainsAny(before[len(before)-1:], "_./") ||
		r.separator != "" && strings.HasSuffix(before, r.separator)
}

// other is the source's key for what a key of the target language is a further form of: that of "other", or a
// single text; ok is false when it is not a form of anything.
func (r *Plurals) other(key string) (n catalog.Name, ok bool) {
	if base, counted := Numbered(key); counted {
		n, ok = r.Pairs[base]
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
		if n, ok = r.Others[before]; ok {
			return n, true
		}
	}
	return n, false
}

// inMap is the source's single text where the target has a map, given the beginning of the map's
// keys; "" for none.
func (r *Plurals) inMap(before string) string {
	if single, is := strings.CutSuffix(before, r.separator); r.separator != "" && is && r.Keys[single] {
		return single
	}
	return ""
}

// Single is the source's single text where a key of the target is part of a map.
func (r *Plurals) Single(key string) (single string, ok bool) {
	at := strings.LastIndex(key, r.separator)
	if r.separator == "" || at < 0 || r.Keys[key] || !plural.IsCategory(key[at+len(r.separator):]) {
		return "", false
	}
	return key[:at], r.Keys[key[:at]]
}

// MapOf is the source's key for "other" in the map that a key is another form of; "" for none.
func (r *Plurals) MapOf(key string) string {
	for _, category := range BesideOther {
		if before, is := strings.CutSuffix(key, category); is && strings.HasSuffix(before, r.separator) {
			return r.Others[before].Key
		}
	}
	return ""
}

// BasedOn is the plural of keys that has a name: what its keys have before the category, and the key of
// "other"; "" for none.
func (r *Plurals) BasedOn(name string) (before string, other catalog.Name) {
	for _, sign := range []string{r.separator, "_", "."} {
		if n, ok := r.Others[name+sign]; ok && sign != "" {
			return name + sign, n
		}
	}
	return "", other
}

// Spread takes apart the messages of keys that the source has a plural of keys for: files where that has
// files/one and files/other. Those that cannot be taken apart are left.
func Spread(
	source, theirs catalog.Catalog, separator, from string, rules Rules,
) (all, left catalog.Catalog) {
	known := source.Keys()
	isMessage := func(u catalog.Unit) bool {
		return u.Form == "" && !known[u.Key] && strings.Contains(u.Text, "plural")
	}
	if !slices.ContainsFunc(theirs, isMessage) {
		return theirs, nil
	}
	of, index := PluralsIn(source, separator, from), source.Index()
	for _, u := range theirs {
		before, other := of.BasedOn(u.Key)
		if !isMessage(u) || before == "" {
			all = append(all, u)
			continue
		}
		number := ""
		if signs := countName.FindAllString(source[index[other]].Text, -1); len(signs) == 1 {
			number = signs[0]
		}
		forms, ok := plural.SplitText(u.Text, plural.Cardinal, number, source[index[other]].Text)
		if !ok {
			left = append(left, u)
		}
		for _, f := range forms {
			if plural.Has(rules.Categories(u.Key, nil), f.Category) {
				all = append(all, catalog.Unit{Name: catalog.Name{Key: before + f.Category}, Text: f.Text, Note: u.Note})
			}
		}
	}
	return all, left
}

// countName is the placeholder that Rails and i18next put the number of a plural in.
var countName = regexp.MustCompile(`%\{count\}|\{\{-? ?count ?\}\}`)

// Foreign are the keys of a source's plurals for categories that a language does not have.
func (of *Plurals) Foreign(language string) map[string]bool {
	foreign := make(map[string]bool)
	for before := range of.Others {
		categories := plural.Categories(language)
		if strings.HasSuffix(before, "_ordinal_") {
			categories = plural.Ordinals(language)
		}
		for _, category := range BesideOther {
			foreign[before+category] = !plural.Has(categories, category)
		}
	}
	return foreign
}
