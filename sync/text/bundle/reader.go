package bundle

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/bound"
)

// reading is which program reads files of a tree, by the files in it that name programs.
type reading struct {
	fsys fs.FS
	read map[string]string // files that were looked at; "" for one that is not there
	deps map[string]named  // by package.json
}

// named is a reader, and what names it.
type named struct {
	reader  programs.Reader
	because string
}

func newReading(fsys fs.FS) *reading {
	return &reading{fsys, make(map[string]string), make(map[string]named)}
}

// mostSettings is how long a file that names programs may be.
const mostSettings = 1 << 20

// content is a file of the tree; "" where there is none that can be read.
func (r *reading) content(name string) string {
	text, seen := r.read[name]
	if !seen {
		if b, err := bound.ReadFS(r.fsys, name, mostSettings); err == nil {
			text = string(b)
		}
		r.read[name] = text
	}
	return text
}

// above yields a file's folder and those that it is in, the nearest first.
func above(file string, yield func(dir string) bool) {
	for dir := path.Dir(file); yield(dir) && dir != "." && dir != "/"; {
		dir = path.Dir(dir)
	}
}

// libraries are what a package.json names, and how they read a text. Of vue-i18n the syntax is that of version 9.
var libraries = map[string]programs.Reader{
	"vue-i18n": programs.VueI18n, "petite-vue-i18n": programs.VueI18n, "@nuxtjs/i18n": programs.VueI18n,
	"@intlify/unplugin-vue-i18n": programs.VueI18n,
	"react-intl":                 programs.FormatJS, "@formatjs/intl": programs.FormatJS, "next-intl": programs.FormatJS,
	"use-intl": programs.FormatJS, "intl-messageformat": programs.FormatJS, "@formatjs/cli": programs.FormatJS,
	"i18next-icu": programs.I18nextICU,
	"i18next":     programs.I18next, "react-i18next": programs.I18next, "next-i18next": programs.I18next,
	"i18next-vue": programs.I18next,
}

// angularTemplate is what Angular's files say that they are of.
var angularTemplate = regexp.MustCompile(`original="ng2?\.template"`)

// program is what reads the texts of a source file.
func (r *reading) program(file string, format formats.Format) programs.Programs {
	p := format.Programs
	n := named{p.Reader, "the format " + format.Name}
	byFormat := n
	base := path.Base(file)
	switch {
	case format.PluralKeys: // files of many programs
		n = r.script(file, base, n)
	case format.ByFlutter():
		n = r.flutter(file, n)
	case p.Reader == programs.Inline && angularTemplate.MatchString(r.content(file)):
		n = named{programs.Angular, "the name of its template"}
	case p.Reader == programs.Inline && r.nearest(file, "angular.json") != "":
		n = named{programs.Angular, "angular.json"}
	}
	if strings.Contains(base, "+intl-icu.") {
		n = named{programs.MessageICU, "+intl-icu in its name"}
	}
	p.Reader = n.reader
	if p.Reader != programs.Unknown {
		p.Because, p.ByFormat = n.because, n == byFormat
	}
	return p
}

// script is what reads a file that many kinds of programs have.
func (r *reading) script(file, base string, n named) named {
	dir := path.Dir(file)
	switch {
	case path.Base(path.Dir(dir)) == "_locales" && strings.HasPrefix(base, "messages."):
		return named{programs.Extension, "the folder _locales"}
	case strings.Contains(r.nearest(file, "pubspec.yaml"), "slang"):
		if of, is := r.slang(file, base); is {
			return of
		}
	case slices.Contains(strings.Split(dir, "/"), "lang") &&
		strings.Contains(r.nearest(file, "composer.json"), `"laravel/framework"`):
		return named{programs.Laravel, "laravel/framework in composer.json"}
	}
	above(file, func(dir string) bool {
		if of := r.dependencies(path.Join(dir, "package.json")); of.because != "" {
			n = of
			return false
		}
		return true
	})
	return n
}

// slang is how slang reads a file, by its settings; false where the file is none of its own.
func (r *reading) slang(file, base string) (named, bool) {
	settings, name := r.nearest(file, "slang.yaml"), "slang.yaml"
	if settings == "" {
		settings, name = r.nearest(file, "build.yaml"), "build.yaml"
	}
	pattern := setting(settings, "input_file_pattern")
	if pattern == "" {
		pattern = ".i18n."
	}
	styles := map[string]programs.Reader{"braces": programs.SlangBraces, "double_braces": programs.SlangDouble}
	style, is := styles[setting(settings, "string_interpolation")]
	if !is {
		style, name = programs.Slang, "pubspec.yaml"
	}
	return named{style, "slang in " + name}, strings.Contains(base, pattern)
}

// setting is the value of a key in a small file of YAML, wherever the key is; "" for none.
func setting(settings, key string) string {
	for line := range strings.Lines(settings) {
		if name, value, is := strings.Cut(line, ":"); is && strings.TrimSpace(name) == key {
			value, _, _ = strings.Cut(value, "#")
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// nearest is the file of this name that is nearest above another.
func (r *reading) nearest(file, name string) (text string) {
	above(file, func(dir string) bool {
		text = r.content(path.Join(dir, name))
		return text == ""
	})
	return text
}

// dependencies is the reader that a package.json names; Unknown with a reason where it names several.
func (r *reading) dependencies(name string) (n named) {
	if of, seen := r.deps[name]; seen {
		return of
	}
	defer func() { r.deps[name] = n }()
	type versions map[string]any
	var about struct{ Dependencies, DevDependencies, PeerDependencies versions }
	text := r.content(name)
	if text == "" || json.Unmarshal([]byte(text), &about) != nil {
		return named{}
	}
	icu := false
	for _, all := range []versions{about.Dependencies, about.DevDependencies, about.PeerDependencies} {
		_, has := all["i18next-icu"]
		icu = icu || has
	}
	for _, all := range []versions{about.Dependencies, about.DevDependencies, about.PeerDependencies} {
		for library, version := range all {
			reader := libraries[library]
			if reader == programs.I18next && icu {
				reader = programs.I18nextICU
			}
			spelled, _ := version.(string)
			switch {
			case reader == programs.Unknown:
			case library == "vue-i18n" && isOld(spelled):
				return named{programs.Unknown, name + " names an old " + library}
			case n.because != "" && n.reader != reader:
				return named{programs.Unknown, name + " names several libraries"}
			case n.because == "" || library < n.because:
				n = named{reader, library}
			}
		}
	}
	if n.because != "" {
		n.because += " in " + name
	}
	return n
}

// isOld reports whether a version is one of vue-i18n before 9.
func isOld(version string) bool {
	number, _, _ := strings.Cut(strings.TrimLeft(version, "^~>=v "), ".")
	major, err := strconv.Atoi(number)
	return err == nil && major < 9
}

// flutter is how gen-l10n is set up to read an ARB file; other tools read it in other ways.
func (r *reading) flutter(file string, n named) named {
	settings := r.nearest(file, "l10n.yaml")
	on := func(key string) bool { return setting(settings, key) == "true" }
	switch {
	case on("relax-syntax"):
		return named{programs.Unknown, "relax-syntax in l10n.yaml"}
	case on("use-escaping"):
		return named{programs.FlutterEscaping, "use-escaping in l10n.yaml"}
	case settings != "":
		return named{programs.Flutter, "l10n.yaml"}
	case strings.Contains(r.nearest(file, "pubspec.yaml"), "flutter_intl:"):
		return named{programs.Unknown, "flutter_intl in pubspec.yaml"}
	}
	return n
}
