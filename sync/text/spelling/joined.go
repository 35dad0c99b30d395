package spelling

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
)

// Joined are the plurals of a file whose forms are keys of their own, put together: one key with a form for each
// category, as resource.Plurals has them. The zero value knows none.
type Joined struct {
	keys     map[string]string // by what is before the category, its sign included: the plural's key
	before   map[string]string // the other way round
	pairs    map[string]bool   // plurals of i18next's third version: cart and cart_plural
	singles  map[string]bool   // plurals in whose place a translation has a single text
	language string            // of the file, for the numbers of that version

	separator string
	source    []string // the keys that the source file has
}

// Join finds the plurals in a file's texts, by the keys that the file has. What counts as one:
//
//   - a map of a nested file that holds "other", another category and nothing but categories (Rails, vue-i18n);
//   - keys that differ in a category at their end, behind "_" or "." (i18next), with "other" and another category that
//     the language has, where one of the texts has a number's placeholder or they share the beginning of a word. A list
//     of words (step_one, step_two, step_three) is none: it goes on where categories end;
//   - in a language whose only category is "other", a key in "other" whose text has a number's placeholder;
//   - key and key_plural, of i18next's third version, where a text of such a pair in the file has a number's
//     placeholder in that library's spelling: "label_user" and "label_user_plural" of Rails are two texts.
func Join(texts catalog.Catalog, separator, language string) *Joined {
	j := &Joined{language: language, separator: separator, source: make([]string, len(texts))}
	for i, u := range texts {
		j.source[i] = u.Key
	}
	if !slices.ContainsFunc(texts, func(u catalog.Unit) bool { return isEnd(u.Key, separator) }) {
		return j
	}
	byKey := make(map[string]string, len(texts))
	for _, u := range texts {
		if u.Form == "" {
			byKey[u.Key] = u.Text
		}
	}
	groups := make(map[string][]plural.Form)
	var pairs []string
	counted := false
	for key, text := range byKey {
		if base, is := strings.CutSuffix(key, pluralEnd); is && base != "" {
			if single, has := byKey[base]; has && alike(single, text) {
				pairs = append(pairs, base)
				counted = counted || strings.Contains(countName.FindString(single+text), "{{")
			}
			continue
		}
		if before, category, is := cutCategory(key, separator); is {
			groups[before] = append(groups[before], plural.Form{Category: category, Text: text})
		}
	}
	if counted {
		for _, base := range pairs {
			j.addPair(base)
		}
	}
	mixed := mixedMaps(maps.Keys(byKey), separator)
	for _, before := range slices.Sorted(maps.Keys(groups)) { // the first of two that want one name has it
		forms := groups[before]
		name := strings.TrimRight(before, "_.")
		if inMap := separator != "" && strings.HasSuffix(before, separator); inMap {
			name = strings.TrimSuffix(before, separator)
			if mixed[before] || !hasForm(forms, plural.Other) || len(forms) < 2 && !numbered(forms) {
				continue
			}
		} else if !isPlural(before, forms, byKey, language) {
			continue
		}
		if _, taken := byKey[name]; taken || j.pairs[name] || j.before[name] != "" || name == "" {
			name = before + plural.Other // which no other key is now
		}
		j.add(before, name)
	}
	return j
}

func (j *Joined) add(before, name string) {
	if j.keys == nil {
		j.keys, j.before = make(map[string]string), make(map[string]string)
	}
	j.keys[before], j.before[name] = name, before
}

func (j *Joined) addPair(base string) {
	if j.pairs == nil {
		j.pairs = make(map[string]bool)
	}
	j.pairs[base] = true
}

// In are the same plurals in a translation with these texts, by the keys that its file has. A single text in place of a
// plural that has no form there is its form "other": Rails' Japanese is spelled so, and i18next falls back to it. Keys
// that the source lacks are of plurals that it had, where they end in a category.
func (j *Joined) In(language string, texts catalog.Catalog) *Joined {
	other := *j
	other.language, other.singles = language, nil
	other.keys, other.before = maps.Clone(j.keys), maps.Clone(j.before)
	other.addFormer(texts)
	if !j.Any() {
		return &other
	}
	forms := wholeForms(language)
	numberedOther := len(forms) != 2 && slices.Contains(forms, plural.Other) // key_0 of Japanese
	formed := make(map[string]bool)
	for _, u := range texts {
		if of, form := other.Form(u.Key); form != "" {
			formed[of] = true
		}
	}
	for _, u := range texts {
		before, is := j.before[u.Key]
		is = is && before+plural.Other != u.Key || j.pairs[u.Key] && numberedOther
		if is && u.Form == "" && u.Text != "" && !formed[u.Key] {
			if other.singles == nil {
				other.singles = make(map[string]bool)
			}
			other.singles[u.Key] = true
		}
	}
	return &other
}

// addFormer adds the plurals of a translation that the source does not have any more.
func (j *Joined) addFormer(texts catalog.Catalog) {
	var source map[string]bool
	mixed := make(map[string]bool)
	for _, u := range texts {
		before, _, is := cutCategory(u.Key, j.separator)
		if of, _ := j.Form(u.Key); !is || of != "" || u.Form != "" {
			continue
		}
		if source == nil {
			source = make(map[string]bool, len(j.source))
			for _, key := range j.source {
				source[key] = true
			}
			mixed = mixedMaps(maps.Keys(texts.Keys()), j.separator)
		}
		name := strings.TrimRight(before, "_.")
		if inMap := j.separator != "" && strings.HasSuffix(before, j.separator); inMap {
			name = strings.TrimSuffix(before, j.separator)
			if mixed[before] {
				continue
			}
		}
		if name != "" && !source[name] && !source[u.Key] && j.before[name] == "" {
			j.add(before, name)
		}
	}
}

// Single reports whether a single text represents a plural, under its key.
func (j *Joined) Single(of string) bool { return j.singles[of] }

// Whole is the key of "other" once such a text has forms beside it.
func (j *Joined) Whole(of string) string {
	if before, known := j.before[of]; known {
		return before + plural.Other
	}
	return of + "_" + strconv.Itoa(slices.Index(wholeForms(j.language), plural.Other))
}

// Any reports whether there is a plural.
func (j *Joined) Any() bool { return len(j.keys)+len(j.pairs) > 0 }

// Keys are the plurals' keys, in order.
func (j *Joined) Keys() []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(j.before)), maps.Keys(j.pairs))
	slices.Sort(keys)
	return keys
}

// Form is the plural and the category that a key of the file is of; "" where it is of none.
func (j *Joined) Form(key string) (of, form string) {
	if j.singles[key] {
		return key, plural.Other
	}
	if len(j.pairs) > 0 {
		of, form = j.formOfPair(key)
		if form != "" {
			return of, form
		}
	}
	if len(j.keys) == 0 {
		return "", ""
	}
	for _, category := range plural.Order {
		if before, is := strings.CutSuffix(key, category); is {
			if name, known := j.keys[before]; known {
				return name, category
			}
		}
	}
	return "", ""
}

// Spelled is the key of the file for a plural's form.
func (j *Joined) Spelled(of, form string) (key string, ok bool) {
	if j.singles[of] && form == plural.Other {
		return of, true
	}
	if before, known := j.before[of]; known {
		return before + form, true
	}
	if !j.pairs[of] {
		return "", false
	}
	forms := wholeForms(j.language)
	at := slices.Index(forms, form)
	switch {
	case at < 0:
		return "", false
	case len(forms) == 2 && at == 0:
		return of, true
	case len(forms) == 2:
		return of + pluralEnd, true
	}
	return of + "_" + strconv.Itoa(at), true
}

// pluralEnd ends the second form's key in i18next's third version.
const pluralEnd = "_plural"

// formOfPair is Form in i18next's third version: two forms are key and key_plural, others are numbered.
func (j *Joined) formOfPair(key string) (of, form string) {
	forms := wholeForms(j.language)
	if len(forms) == 2 {
		if j.pairs[key] {
			return key, forms[0]
		}
		if base, is := strings.CutSuffix(key, pluralEnd); is && j.pairs[base] {
			return base, forms[1]
		}
		return "", ""
	}
	base, counted := Numbered(key)
	if n := int(key[len(key)-1] - '0'); counted && j.pairs[base] && n < len(forms) {
		return base, forms[n]
	}
	return "", ""
}

// thirdForms are the categories of the forms that i18next's third version counts, in its order, where they are not one
// and other.
var thirdForms = func() map[string][]string {
	of := make(map[string][]string)
	for forms, languages := range map[string]string{
		"other":        "ay bo cgg fa ht id ja jbo ka km ko ky lo ms sah su th tt ug vi wo zh",
		"one few many": "be csb pl ru uk", "one few other": "bs cnr cs hr lt ro sk sr",
		"zero one two few many other": "ar", "one two other many": "cy", "one two few many other": "ga",
		"one two few other": "gd", "one two many other": "he iw", "one other zero": "lv", "one few many other": "mt",
		"other one two few": "sl",
	} {
		for language := range strings.FieldsSeq(languages) {
			of[language] = strings.Fields(forms)
		}
	}
	return of
}()

// wholeForms are those of a language.
func wholeForms(language string) []string {
	base, _, _ := strings.Cut(strings.ReplaceAll(language, "_", "-"), "-")
	if forms, counted := thirdForms[strings.ToLower(base)]; counted {
		return forms
	}
	return []string{plural.One, plural.Other}
}

// third are the categories that a plural of that version has in a language.
func third(language string) (all []plural.Category) {
	own := plural.Categories(language)
	for _, form := range wholeForms(language) {
		at := slices.IndexFunc(own, func(c plural.Category) bool { return c.Name == form })
		if at < 0 {
			all = append(all, plural.Category{Name: form})
			continue
		}
		all = append(all, own[at])
	}
	return all
}

// isEnd is a quick look whether a key may be one form of a plural.
func isEnd(key, separator string) bool {
	return strings.HasSuffix(key, pluralEnd) || MayBeForm(key, separator)
}

// cutCategory cuts a category, behind a sign or the separator, off a key.
func cutCategory(key, separator string) (before, category string, ok bool) {
	at := strings.LastIndexAny(key, "_.") + 1
	if separator != "" {
		if step := strings.LastIndex(key, separator); step >= 0 {
			at = max(at, step+len(separator))
		}
	}
	return key[:at], key[at:], at > 0 && plural.IsCategory(key[at:])
}

// mixedMaps are the maps, by the beginning of their keys, that hold other names than categories, or other maps.
func mixedMaps(keys iter.Seq[string], separator string) map[string]bool {
	mixed := make(map[string]bool)
	if separator == "" {
		return mixed
	}
	for key := range keys {
		names := strings.Split(key, separator)
		above := ""
		for i, name := range names {
			if i < len(names)-1 || !plural.IsCategory(name) {
				mixed[above] = true
			}
			above += name + separator
		}
	}
	return mixed
}

// isPlural weighs whether keys that end in categories are a plural's.
func isPlural(before string, forms []plural.Form, keys map[string]string, language string) bool {
	if !hasForm(forms, plural.Other) {
		return false
	}
	for _, word := range []string{"three", "four", "five", "first"} { // a list of words
		if _, has := keys[before+word]; has {
			return false
		}
	}
	categories := plural.Categories(language)
	if Ordinal(before) {
		categories = plural.Ordinals(language)
	}
	if len(forms) == 1 {
		return len(categories) == 1 && numbered(forms)
	}
	foreign := func(f plural.Form) bool { return f.Category != plural.Zero && !plural.Has(categories, f.Category) }
	if slices.ContainsFunc(forms, foreign) && !numbered(forms) { // step_two is a word in a language without "two"
		return false
	}
	own := func(f plural.Form) bool { return f.Category != plural.Other && plural.Has(categories, f.Category) }
	return (slices.ContainsFunc(forms, own) || hasForm(forms, plural.Zero)) && (numbered(forms) || related(forms))
}

// Ordinal reports whether a key, or what is before its category, is of a plural for places in an order, as i18next
// spells it.
func Ordinal(key string) bool {
	return strings.HasSuffix(strings.TrimRight(key, "_"), "_ordinal")
}

func hasForm(forms []plural.Form, category string) bool {
	return slices.ContainsFunc(forms, func(f plural.Form) bool { return f.Category == category })
}

// numbered reports whether a text has the placeholder of a plural's number.
func numbered(forms []plural.Form) bool {
	return slices.ContainsFunc(forms, func(f plural.Form) bool { return countName.MatchString(f.Text) })
}

// related reports whether "other" has the beginning of a word in common with another form.
func related(forms []plural.Form) bool {
	other := forms[slices.IndexFunc(forms, func(f plural.Form) bool { return f.Category == plural.Other })]
	return slices.ContainsFunc(forms, func(f plural.Form) bool {
		return f.Category != plural.Other && alike(f.Text, other.Text)
	})
}

// alike reports whether two texts have a number's placeholder, or the first two letters of a word, in common.
func alike(a, b string) bool {
	if countName.MatchString(a) || countName.MatchString(b) {
		return true
	}
	in := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(a), notLetter) {
		in[beginning(word)] = true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(b), notLetter) {
		if in[beginning(word)] {
			return true
		}
	}
	return false
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// beginning is the first two letters of a word; of a script without capitals, where a letter is much of a word, the
// first one.
func beginning(word string) string {
	runes := []rune(word)
	if len(runes) > 1 && unicode.In(runes[0], unicode.Latin, unicode.Cyrillic, unicode.Greek) {
		return string(runes[:2])
	}
	return string(runes[:1])
}
