package check_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/text/plural"
)

var (
	androidFolder = regexp.MustCompile(`/values-[^/]+/`)
	appleFolder   = regexp.MustCompile(`(^|/)[^/]+\.lproj/`)
	singleForm    = regexp.MustCompile(`(^|[/._])(zero|one|two|0)$`)
	letter        = regexp.MustCompile(`\pL`)
	optionalName  = regexp.MustCompile(`^%\{(attribute|model|value)\}`)
)

// sourcePaths are where the source of a translation may stand, best first.
func sourcePaths(f resourcetest.Real) []string {
	switch f.Format {
	case "android-xml":
		return []string{androidFolder.ReplaceAllString(f.Path, "/values/")}
	case "ios-strings":
		to := func(l string) string {
			return appleFolder.ReplaceAllString(f.Path, "${1}"+l+".lproj/")
		}
		return []string{to("en"), strings.Replace(to("en"), "/input/target/", "/input/source/", 1),
			strings.Replace(to("en"), "/translations/", "/source/", 1)}
	}
	dir := path.Dir(f.Path)
	return []string{path.Join(dir, "en-US.yaml"), path.Join(dir, "en.yml"), path.Join(dir, "lang-en.json"),
		"Extension/package.nls.json",
		path.Join(strings.Replace(dir, "/translations", "/source", 1), "demo.yaml"),
		path.Join(strings.Replace(dir, "/translations", "/source", 1), "demo.json")}
}

func read(t testing.TB, f resourcetest.Real) *resource.File {
	t.Helper()
	name := f.Format
	if name == "json" || name == "yaml" {
		name = "structured-" + name
	}
	format, ok := formats.Named(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	keys := resource.Keys{Roots: []string{f.Language, strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))}}
	file, err := format.Parse(keys, f.Src)
	if err != nil {
		return nil
	}
	return file
}

// product is a file of the corpus with the file of its source language, which is nil where the corpus has none.
type product struct {
	resourcetest.Real
	target, source *resource.File
}

// products are the files of one format that can be read.
func products(t testing.TB, format string) []product {
	files := resourcetest.WholeCorpus(t, format)
	parsed := make(map[string]*resource.File)
	for _, f := range files {
		parsed[f.Name] = read(t, f)
	}
	var all []product
	for _, f := range files {
		p := product{Real: f, target: parsed[f.Name]}
		if p.target == nil {
			continue
		}
		for _, at := range sourcePaths(f) {
			for _, s := range files {
				if s.Repo != f.Repo || s.Path != at || s.Name == f.Name || s.Path == f.Path || p.source != nil &&
					s.Commit != f.Commit || parsed[s.Name] == nil {
					continue
				}
				p.source = parsed[s.Name]
			}
			if p.source != nil {
				break
			}
		}
		all = append(all, p)
	}
	return all
}

// pairs yields every text of the corpus whose source text is known: from the source file of the same product, or from
// the key where keys are the source texts.
func pairs(t testing.TB, yield func(f resourcetest.Real, in check.Input)) {
	for _, format := range []string{"android-xml", "ios-strings", "json", "yaml"} {
		for _, f := range products(t, format) {
			keyed := f.source == nil && (f.Repo == "adium/adium" || f.Repo == "transmission/transmission" ||
				f.Repo == "nextcloud/notes")
			for e := range f.target.Entries() {
				if e.Kind != resource.Text {
					continue
				}
				in := check.Input{Level: check.Quiet, Programs: check.ProgramsOf(strings.Replace(f.Format, "yaml", "structured-yaml", 1)),
					Key: e.Key, Form: e.Form, Translation: e.Text, Language: f.Language, SourceLanguage: "en"}
				switch {
				case f.source != nil:
					s, ok := f.source.Lookup(e.Key, e.Form)
					if !ok && e.Form != "" {
						s, ok = f.source.Lookup(e.Key, "other")
					}
					if !ok || s.Kind != resource.Text {
						continue
					}
					in.Source = s.Text
				case keyed:
					in.Source = strings.TrimPrefix(e.Key, "translations/")
					if one, others, ok := strings.Cut(strings.Trim(in.Source, "_"), "_::_"); ok {
						in.Source = one
						if others, _, _ = strings.Cut(others, "_/"); !strings.HasSuffix(e.Key, "/0") {
							in.Source = others
						}
					}
				default:
					continue
				}
				yield(f.Real, in)
			}
		}
	}
}

// damaged are the translations of the corpus that are known to be broken: an alarm on these is right, and missing one
// is wrong.
var damaged = []struct {
	file, reason string
	times        int
}{
	{"FreeTube/static__locales__ar.yaml", "it has {عدد} where the source has {count}", 7},
	{"FreeTube/static__locales__af", "it lacks {searchCharacterLimit}, which the source has", 2},
	{"FreeTube/static__locales__af@", "it has {bladsy} where the source has {page}", 1},
	{"FreeTube/static__locales__af@", "it has {lentgh} where the source has {length}", 1},
	{"FreeTube/static__locales__br.yaml", "it has {number} where the source has {length}", 1},
	{"FreeTube/static__locales__", "it has {filePath}, which the source does not have", 2},
	{"nextcloud-notes/l10n__ru.json", "it lacks {number}, which the source has", 6},
	{"nextcloud-notes/l10n__ru.json", "it has {папка} where the source has {folder}", 1},
	{"nextcloud-notes/l10n__ar.json", "it has {id} where the source has {title}", 1},
	{"rails-i18n/", "it has {{count}} where the source has %{count}",
		41}, // Rails has not read {{count}} since version 3
	{"rails-i18n/", "it has {{errors}} where the source has %{errors}", 1},
}

// reworded are the translations that an alarm is raised on though the program works: they leave a number out where
// the sentence does without.
var reworded = []struct {
	file, reason string
	times        int
}{
	{"adium-adium/Resources__de.lproj", "it lacks %lu, which the source has", 1},
	{"transmission-transmission/macosx__he.lproj", "it lacks %lu, which the source has", 1},
}

// Over real products, an alarm that is none would hold back a good translation: less than one in a thousand may be.
// Every alarm has been looked at; one that is not known fails.
func TestRealTranslations(t *testing.T) {
	known := append(slices.Clone(damaged), reworded...)
	found := make([]int, len(known))
	texts := make(map[string]int)
	pairs(t, func(f resourcetest.Real, in check.Input) {
		texts[f.Format]++
	next:
		for _, finding := range check.Translation(in) {
			for i, d := range known {
				if strings.Contains(f.Name, d.file) && finding.Reason == d.reason {
					found[i]++
					continue next
				}
			}
			t.Errorf("%s: %s\n\tsource      %q\n\ttranslation %q\n\t%s: %s", f.Name, in.Key, in.Source, in.Translation,
				finding.Check, finding.Reason)
		}
	})
	all, defects, wrong := 0, 0, 0
	for i, d := range known {
		if found[i] != d.times {
			t.Errorf("%s: %q found %d times, want %d", d.file, d.reason, found[i], d.times)
		}
		if i < len(damaged) {
			defects += found[i]
		} else {
			wrong += found[i]
		}
	}
	for format, n := range texts {
		all += n
		t.Logf("%s: %d translations", format, n)
		if n < 5000 {
			t.Errorf("%s: only %d texts with a known source; the test looks in the wrong place", format, n)
		}
	}
	if wrong*1000 > all {
		t.Errorf("%d false alarms on %d translations", wrong, all)
	}
	t.Logf("%.1f alarms per 10,000 translations; %d of %d are real defects; false alarms on %.4f %%",
		float64(defects+wrong)*10000/float64(all), defects, defects+wrong, float64(wrong)*100/float64(all))
}

// mutation is one way in which people, or a machine, damage a translation.
type mutation struct {
	name    string
	formats string // where it is damage; empty: everywhere
	finds   *regexp.Regexp
	with    string
}

var mutations = []mutation{
	{"a printf placeholder is lost", "android-xml ios-strings", regexp.MustCompile(`%(\d\$)?(ll?)?[@dsfu]`), ""},
	{"a printf placeholder is cut in two", "android-xml ios-strings", regexp.MustCompile(`%(\d\$)?((?:ll?)?[@dsfu])`),
		"% $1$2"},
	{"a printf placeholder gets another number", "android-xml ios-strings", regexp.MustCompile(`%\d\$`), "%9$$"},
	{"text becomes a number", "android-xml", regexp.MustCompile(`%(\d\$)?s`), "%${1}d"},
	{"a number becomes one with decimals", "android-xml", regexp.MustCompile(`%(\d\$)?d`), "%${1}f"},
	{"an object becomes a number", "ios-strings", regexp.MustCompile(`%(\d\$)?@`), "%${1}d"},
	{"a number becomes an object", "ios-strings", regexp.MustCompile(`%(\d\$)?(?:ll?)?[du]`), "%${1}@"},
	{"a printf placeholder too many", "android-xml ios-strings", regexp.MustCompile(`(%(\d\$)?(ll?)?[@dsfu])`),
		"%8$$s $1"},
	{"the per cent sign is a full-width one", "android-xml ios-strings", regexp.MustCompile(`%((\d\$)?(ll?)?[@dsfu])`),
		"％$1"},
	{"a name is lost", "", regexp.MustCompile(`[%$]?\{\w+\}`), ""},
	{"a name is misspelled", "", regexp.MustCompile(`\{(\w+)\}`), "{x$1}"},
	{"a name is translated", "", regexp.MustCompile(`\{(\w+)\}`), "{имя}"},
	{"a brace is lost", "", regexp.MustCompile(`\{(\w+)\}`), "{$1"},
	{"an end tag is lost", "", regexp.MustCompile(`</(b|i|u|a|em|strong|code|font|span)>`), ""},
	{"an end tag is spoilt", "", regexp.MustCompile(`</(b|i|u|a|em|strong|code|font|span)>`), "< /$1>"},
	{"a link is lost", "", regexp.MustCompile(`(?s)<a [^>]*>(.*?)</a>`), "$1"},
	{"a letter is damaged", "", letter, "\ufffd"},
	{"a control character comes in", "", letter, "\x08"},
}

// What is damaged on purpose is found. A loss that may be meant (a number in the form for one, a name said twice,
// Rails' optional names) is not damage.
func TestDamagedTranslations(t *testing.T) {
	n := 0
	tried, missed := make(map[string]int), make(map[string]int)
	pairs(t, func(f resourcetest.Real, in check.Input) {
		if len(check.Translation(in)) > 0 || in.Source == "" ||
			singleForm.MatchString(strings.TrimSuffix(in.Key+"/"+in.Form, "/")) {
			return
		}
		n++
		for _, m := range mutations {
			if m.finds == letter && n%10 != 0 { // letters are everywhere
				continue
			}
			at := m.finds.FindStringIndex(in.Translation)
			if at == nil || m.formats != "" && !strings.Contains(m.formats, f.Format) {
				continue
			}
			was := in.Translation[at[0]:at[1]]
			rest := in.Translation[at[1]:]
			if !strings.Contains(in.Source, was) && m.name != "a letter is damaged" &&
				m.name != "a control character comes in" && !strings.HasPrefix(was, "<a ") ||
				strings.Contains(rest, was) || m.name == "a name is lost" && optionalName.MatchString(was) {
				continue
			}
			bad := in
			if bad.Translation = in.Translation[:at[0]] + m.finds.ReplaceAllString(was, m.with) +
				rest; bad.Translation == "" {
				continue
			}
			tried[m.name]++
			if len(check.Translation(bad)) == 0 {
				if missed[m.name]++; missed[m.name] <= 5 {
					t.Logf("%s, not found in %s: %s\n\tsource %q\n\tbad    %q", m.name, f.Name,
						in.Key, in.Source, bad.Translation)
				}
			}
		}
	})
	for _, m := range mutations {
		t.Logf("%s: %d times, %d not found", m.name, tried[m.name], missed[m.name])
		if tried[m.name] == 0 || missed[m.name]*200 > tried[m.name] {
			t.Errorf("%s: %d of %d not found", m.name, missed[m.name], tried[m.name])
		}
	}
}

// plurals are the categories of each plural of an Android file, by key.
func plurals(f *resource.File) map[string][]string {
	all := make(map[string][]string)
	for e := range f.Entries() {
		if e.Kind == resource.Text && e.Form != "" && e.Form[0] > '9' {
			all[e.Key] = append(all[e.Key], e.Form)
		}
	}
	return all
}

// The plurals of real products have what their languages need, and are found out when one of those forms is taken away.
func TestRealPlurals(t *testing.T) {
	n, alarms, damaged, missed := 0, 0, 0, 0
	for _, f := range products(t, "android-xml") {
		if f.source == nil {
			continue
		}
		sources := plurals(f.source)
		for key, forms := range plurals(f.target) {
			in := check.Plural{Source: sources[key], Forms: forms, Language: f.Language, SourceLanguage: "en"}
			if in.Source == nil {
				continue
			}
			n++
			for _, finding := range check.Forms(in) {
				alarms++
				t.Errorf("%s: %s in %s: %s", f.Name, key, f.Language, finding.Reason)
			}
			for i, form := range forms {
				in.Forms = slices.Delete(slices.Clone(forms), i, i+1)
				rare := !slices.ContainsFunc(plural.Categories(f.Language),
					func(c plural.Category) bool { return c.Name == form && !c.Rare })
				if rare || len(in.Forms) == 0 {
					continue
				}
				if damaged++; len(check.Forms(in)) == 0 {
					missed++
					t.Errorf("%s: %s in %s without %s: not found", f.Name, key, f.Language, form)
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d plurals; the test looks in the wrong place", n)
	}
	t.Logf("%d plurals, %d alarms; %d times a form was taken away, %d not found", n, alarms, damaged, missed)
}
