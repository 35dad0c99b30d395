package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config/glob"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/config/spell"
)

// guessFormat tells the format of a pattern's files by their extension, or of all alternatives that it
// ends with ({yaml,yml}); "" when that says nothing.
func guessFormat(glob string) string {
	dot := strings.LastIndexByte(glob, '.')
	if dot < 0 {
		return ""
	}
	extension := strings.ToLower(glob[dot+1:])
	if inner, ok := strings.CutPrefix(extension, "{"); ok {
		extension = strings.TrimSuffix(inner, "}")
	}
	format := ""
	for alternative := range strings.SplitSeq(extension, ",") {
		guess, ok := formats.ByExtension("." + alternative)
		if !ok || format != "" && guess.Name != format {
			return ""
		}
		format = guess.Name
	}
	return format
}

// files checks one [[project.files]] and settles what depends on other keys: the format, the separator
// and the template.
func (v *validator) files(f *Files, p *Project) {
	badGlob := globProblem(f.Source)
	if badGlob != "" {
		v.add("source", "%s", badGlob)
	}
	for i, pattern := range f.Exclude {
		if why := globProblem(pattern); why != "" {
			v.addAt(v.o.at("exclude").index(i), "%s", why)
		}
	}
	v.format(f)
	for i, text := range f.Labels {
		at := v.o.at("labels").index(i)
		switch {
		case strings.TrimSpace(text) == "":
			v.addAt(at, "a label must not be empty")
		case strings.Contains(text, ",") || !plainText(text):
			v.addAt(at, "%q: a label has no comma and no control character; the service separates labels by commas", text)
		case slices.Contains(f.Labels[:i], text):
			v.addAt(at, "%q is listed twice", text)
		}
	}
	v.skipChecks(f)
	v.languagePaths(f.LanguagePaths, p)
	if strings.TrimSpace(f.Collection) == "" {
		v.add("collection", `must name the collection; %q is there in every project`, DefaultCollection)
	}
	v.filled(f, "collection", f.Collection, "{NAME}, {DIR}, {EXT} and {BRANCH}")
	v.filled(f, "key_prefix", f.KeyPrefix, "{NAME}, {DIR} and {EXT}")
	v.output(f, p, badGlob == "")
}

// Checks are the checks of translations, by the names that skip_checks knows them by.
var Checks = []string{"printf", "names", "icu", "markup", "plurals", "characters"}

func (v *validator) skipChecks(f *Files) {
	for i, skip := range f.SkipChecks {
		name, pattern, some := strings.Cut(skip, ":")
		at := v.o.at("skip_checks").index(i)
		switch {
		case !slices.Contains(Checks, name) && !slices.Contains(kinds.All, name):
			hint := ""
			if near := spell.Nearest(name, slices.Concat(Checks, kinds.All)); near != "" {
				hint = "; did you mean " + near + "?"
			}
			v.addAt(at, "%q is not a check; one of %s, alone or with a pattern for keys behind a colon%s", name,
				strings.Join(slices.Concat(Checks, kinds.All), ", "), hint)
		case some && (pattern == "" || !glob.Valid(pattern) || glob.Long(pattern)):
			v.addAt(at, "%q is not a pattern for keys; write %s:help/* or %s alone for all keys", pattern, name, name)
		}
	}
}

// Skips reports whether one of Checks or of kinds.All is not made for a key of these files.
func (f *Files) Skips(check, key string) bool {
	return slices.ContainsFunc(f.SkipChecks, func(skip string) bool {
		name, pattern, some := strings.Cut(skip, ":")
		return name == check && (!some || matches(pattern, key))
	})
}

// defaultSeparator is the path_separator of structured formats.
const defaultSeparator = "/"

func (v *validator) format(f *Files) {
	given := f.Format
	if given == "" {
		if f.Format = guessFormat(f.Source); f.Format == "" && f.Source != "" {
			v.add("format", "the extension of %q does not tell the format; write one of %s", f.Source,
				strings.Join(formats.Names(), ", "))
		}
	} else {
		v.oneOf("format", given, formats.Names())
	}
	if row, known := formats.Named(f.Format); f.Plurals != "" && known && !row.PluralKeys {
		v.add("plurals", "goes with json and yaml, where plurals are keys; %s has forms of its own, or none; leave it out",
			f.Format)
	} else {
		v.words(f)
	}
	_, set := f.origin.lines[f.origin.at("path_separator").path]
	switch {
	case set && !f.Structured() && slices.Contains(formats.Names(), f.Format):
		v.add("path_separator", "goes with structured-json and structured-yaml only, not with %s; leave it out", f.Format)
	case set && (f.PathSeparator == "" || !plainText(f.PathSeparator)):
		v.add("path_separator", `must be a text such as "/" or "."`)
	case !set && f.Structured():
		f.PathSeparator = defaultSeparator
	}
}

// filled checks a name that may have placeholders of the source file.
func (v *validator) filled(f *Files, key, name, placeholders string) {
	filled := collectionWords(Source{Name: "x", Ext: "x", Dir: "x"}).Replace(name)
	if key == "collection" {
		filled = strings.ReplaceAll(filled, branchWord, "x")
	}
	switch {
	case strings.ContainsAny(filled, "{}"):
		v.add(key, "%q: the placeholders of a %s are %s", name, strings.ReplaceAll(key, "_", " "), placeholders)
	case strings.Contains(filled, ",") || !plainText(filled):
		v.add(key, "%q: the name of a %s has no comma and no control character", name, strings.ReplaceAll(key, "_", " "))
	case strings.Contains(name, "{DIR}"):
		v.dirNeedsStars(key, f)
	}
}

// dirNeedsStars checks that {DIR} means something.
func (v *validator) dirNeedsStars(key string, f *Files) {
	if n := glob.DoubleStars(f.Source); n != 1 && f.Source != "" {
		v.add(key, "{DIR} is what ** matches in source; %q has %d parts **, it needs exactly one", f.Source, n)
	}
}

// output checks the template and every path that it yields.
func (v *validator) output(f *Files, p *Project, globOK bool) {
	if format, ok := formats.Named(f.Format); ok && format.Multilingual() {
		if f.Output != "" && f.Output != f.Source {
			v.add("output", "%q: files of format %s have all languages; leave output out", f.Output, f.Format)
		}
		return
	}
	if f.Output == "" {
		v.add("output", `must say where translations lie, such as "locales/{LANGUAGE}/{NAME}.json"`)
		return
	}
	t, err := ParseTemplate(f.Output)
	if err != nil {
		v.add("output", "%s", err)
		return
	}
	t.spelling = f.LanguagePaths
	f.template = t
	if t.has(dir) {
		v.dirNeedsStars("output", f)
	}
	if !t.HasLanguage() && len(p.TargetLanguages) > 1 {
		v.add("output", "%q is one file for %d languages; put {LANGUAGE}, {LOCALE:IOS} or {LOCALE:ANDROID} into it",
			f.Output, len(p.TargetLanguages))
		return
	}
	if t.labelAlone() {
		v.add("output", "%q lets the service choose any file of the repository; "+
			"put a folder or {LANGUAGE} before the label", f.Output)
		return
	}
	for _, part := range t.parts {
		if part.kind == literal && strings.ContainsAny(part.text, `*?"<>|`) {
			v.add("output", "%q holds one of * ? \" < > |, which not every file system can write; "+
				"it is a path, not a pattern", f.Output)
			return
		}
	}
	source, ok := f.sample()
	if ok = ok && globOK; !ok {
		source = Source{Name: "x", Ext: "x", Dir: "x"}
	}
	v.paths(f, p, t.For(source), ok)
}

// paths checks what the template yields for each language. Only one problem is reported: the same
// mistake would show once per language.
func (v *validator) paths(f *Files, p *Project, t Template, real bool) {
	labelText := "x"
	if len(p.TargetLanguages) == 0 { // missing or mistyped; that is reported where it is, and must not hide others
		if why := UnsafePath(t.Path(Language{"xx", "xx"}, labelText)); why != "" {
			v.add("output", "%q: %s", f.Output, why)
		}
		return
	}
	seen := map[string]Language{}
	for _, l := range p.Targets() {
		if checkLanguage(l.Code) != "" || checkSpelling(l.Path) != "" {
			continue // reported where it is
		}
		l = t.Spelled(l)
		path := t.Path(l, labelText)
		if why := cmp.Or(UnsafePath(path), UnsafePath(t.Entry(l, labelText))); why != "" {
			v.add("output", "%q: %s", f.Output, why)
			return
		}
		if other, ok := seen[Fold(path)]; ok && t.HasLanguage() &&
			(Fold(other.Path) != Fold(l.Path) || len(f.LanguagePaths) > 0) {
			v.add("output", "%s and %s would have the same file, %s; change how language_paths spells one of them",
				other.Code, l.Code, path)
			return
		}
		seen[Fold(path)] = l
		if real && matches(f.Source, path) && !Patterns(f.Exclude).Match(path) {
			v.add("output", "%s, the translation into %q, would be taken for a source file: source is %q; "+
				"make source narrower or put translations elsewhere", path, l.Code, f.Source)
			return
		}
	}
}

// sharedOutputs refuses two entries that write the same files on the same branch of the same repository,
// as far as that shows without the files.
func (v *validator) sharedOutputs(c *Config) {
	type target struct{ repository, branch, path string }
	owners := make(map[target]*Files, len(c.Projects))
	for i := range c.Projects {
		p := &c.Projects[i]
		repository := c.Resolve(p.Repository)
		for j := range p.Files {
			f := &p.Files[j]
			var paths []string
			switch {
			case f.template.IsZero():
			case f.template.HasSource() || f.template.HasLabel():
				paths = []string{"\x00" + f.Source + "\x00" + f.Output}
			default:
				for _, l := range p.Targets() {
					paths = append(paths, Fold(f.template.Path(l, "")))
				}
			}
			v.in(f.origin)
			for _, path := range paths {
				at := target{repository, p.Pull.Branch, path}
				if other := owners[at]; other != nil && other != f {
					v.add("output", "%q: the [[project.files]] on line %s writes the same files; two source files cannot share "+
						"a target", f.Output, other.origin.lineFrom(f.origin))
					break
				}
				owners[at] = f
			}
		}
	}
}

// Template is Output, read.
func (f *Files) Template() Template { return f.template }

// OutputOf is the template of a source file's translations, filled in: of a file with all languages, its own path.
func (f *Files) OutputOf(path string, s Source) Template {
	if f.template.IsZero() {
		return Template{parts: []part{{literal, path}}, spelling: f.LanguagePaths}
	}
	return f.template.For(s)
}
