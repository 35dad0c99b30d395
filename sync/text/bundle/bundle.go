// Package bundle knows which files belong together: a source file, the files that hold its translations, and the group
// of files that one import or export covers. It turns bytes into catalogs and changes of catalogs into bytes.
//
// Its law: it is pure over what it is handed, an fs.FS or bytes. A working tree, a commit and a test's map of files
// are read by the same code, and nothing is ever written by it.
//
// It does not know git, the service, states or clocks, and decides nothing about translations.
package bundle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Bundle is one source file and where its translations stand.
type Bundle struct {
	Path       string // of the source file, relative to the repository, with slashes
	Format     formats.Format
	Separator  string // of structured formats; empty for flat ones
	Collection string
	KeyPrefix  string // before all keys, but in the files
	Labels     []string
	Source     config.Language
	Output     config.Template // filled in for this source file
	Files      *config.Files   // the entry of the configuration that the source file belongs to
	Check      *kinds.Check    // what becomes of texts that are wrong and harmless

	keysOnly bool // plurals that are spelled as keys travel as keys

	root *atomic.Pointer[sourceRoot] // of the source file as it was read last; nil: it is not kept

	content *atomic.Pointer[contents] // of a file with all languages, as it was read last: they share it
}

// Target is the path of the bundle's translations into a language. It is empty where the service decides the file
// names.
func (b *Bundle) Target(l config.Language) string {
	if b.Output.HasLabel() {
		return ""
	}
	return b.Output.Path(l, "")
}

// Find lists the bundles of a project in a tree of files, in the order of the configuration and then by path. A source
// file that more than one entry matches belongs to the first. Two bundles that would write one file are both left out,
// with a problem.
func Find(fsys fs.FS, p *config.Project) ([]*Bundle, []report.Problem, error) {
	var bundles []*Bundle
	var problems []report.Problem
	seen := make(map[string]bool)
	programs := newReading(fsys)
	for i := range p.Files {
		files := &p.Files[i]
		matches, unnamed, err := glob(fsys, files.Source)
		if err != nil {
			return nil, nil, err
		}
		if p := closed(fsys, files.Source); p != nil && !seen[p.File] {
			seen[p.File] = true
			problems = append(problems, *p)
		}
		for _, match := range append(matches, unnamed...) {
			if seen[match] || files.Excluded(match) {
				continue
			}
			seen[match] = true
			if why := unreadable(match); why != "" {
				problems = append(problems, report.Problem{Code: report.CodePath, File: match, Problem: why})
				continue
			}
			b, err := bundleOf(p, files, match)
			if err != nil {
				problems = append(problems, report.Problem{Code: report.CodeConfiguration, File: match,
					Problem: err.Error()})
				continue
			}
			b.Format.Programs = programs.program(match, b.Format)
			bundles = append(bundles, b)
		}
	}
	return distinct(bundles, p.Targets(), problems)
}

// closed is a problem where a pattern begins in a folder that is closed: its files are not gone. What ** finds closed
// below that is most likely no business of ours.
func closed(fsys fs.FS, pattern string) *report.Problem {
	folder, rest := doublestar.SplitPattern(pattern)
	var err error
	if strings.ContainsAny(rest, `*?[{\\`) {
		_, err = fs.ReadDir(fsys, folder)
	} else if _, err = fs.Stat(fsys, pattern); err != nil {
		_, err = fs.Lstat(fsys, pattern) // of a link whose target is closed, this says nothing
		folder = pattern
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &report.Problem{Code: report.CodeRead, File: folder,
			Problem: "cannot be read (" + err.Error() + "), and what it has is skipped until this user may read it"}
	case Closed(fsys, folder, err):
		return &report.Problem{Code: report.CodeRead, File: folder, Problem: outside}
	}
	return nil
}

// Of is the bundle of a source file that cannot be seen now; nil where no entry of the configuration is for it.
func Of(p *config.Project, name string) *Bundle {
	for i := range p.Files {
		if _, fits := p.Files[i].SourceFile(name); fits {
			if b, err := bundleOf(p, &p.Files[i], name); err == nil {
				return b
			}
		}
	}
	return nil
}

func bundleOf(p *config.Project, files *config.Files, match string) (*Bundle, error) {
	format, ok := formats.Named(files.Format)
	source, fits := files.SourceFile(match)
	if !ok || !fits {
		return nil, fmt.Errorf("no format is known for this file; set format in its [[project.files]] entry to one of %s",
			strings.Join(formats.Names(), ", "))
	}
	b := &Bundle{Path: match, Format: format.At(match), Labels: files.Labels, Source: p.Language(p.SourceLanguage),
		Output: files.OutputOf(match, source), Collection: files.CollectionOf(source), Files: files,
		KeyPrefix: files.KeyPrefixOf(source), Check: &p.Check,
		keysOnly: files.Plurals == config.PluralsKeys || files.Plurals == "" && p.KeepsPluralKeys(match),
		root:     new(atomic.Pointer[sourceRoot])}
	if format.Multilingual() {
		b.content = new(atomic.Pointer[contents])
	}
	if format.Structured {
		b.Separator = cmp.Or(files.PathSeparator, "/")
	}
	return b, nil
}

// distinct leaves out bundles whose source files would be one file, that would write one file, or over a source file:
// also on file systems that tell no letter case or spelling of accents apart.
func distinct(
	bundles []*Bundle, languages []config.Language, problems []report.Problem,
) ([]*Bundle, []report.Problem, error) {
	sources := make(map[string]*Bundle) // by folded path
	bad := make(map[*Bundle]bool)
	for _, b := range bundles {
		key := config.Fold(b.Path)
		if other := sources[key]; other != nil {
			problems = append(problems, misplaced(b, "source", config.Language{}, "this file and "+other.Path+alike))
			bad[b], bad[other] = true, true
			continue
		}
		sources[key] = b
	}
	bundles = slices.DeleteFunc(bundles, func(b *Bundle) bool { return bad[b] })
	type writer struct {
		*Bundle
		path string
	}
	writers := make(map[string]writer) // by folded path
	for _, b := range bundles {
		for _, l := range languages {
			target := b.Target(l)
			key := config.Fold(target)
			source, other := sources[key], writers[key]
			switch {
			case target == "":
			case source == b && b.Format.Multilingual():
			case source != nil:
				bad[b] = true
				problems = append(problems, misplaced(b, "output", l, "its translations would be written over the source file "+
					source.Path+"; change output or the source pattern"))
			case config.UnsafePath(target) != "":
				if !bad[b] { // in other languages it is the same
					problems = append(problems, unwritable(b, l, target))
				}
				bad[b] = true
			case other.Bundle != nil && other.Bundle != b:
				if !bad[b] {
					problems = append(problems, misplaced(b, "output", l, shares(target, other.path, other.Path)))
				}
				bad[b], bad[other.Bundle] = true, true
			default:
				writers[key] = writer{b, target}
			}
		}
	}
	return slices.DeleteFunc(bundles, func(b *Bundle) bool { return bad[b] }), problems, nil
}

// alike is what is wrong with two paths that fold together.
const alike = " are one file on macOS and Windows, since they differ in letter case or in the spelling of accents " +
	"alone; rename one of them"

// shares says that a bundle's target is one file with another one's, whose source file is given.
func shares(target, others, source string) string {
	if target == others {
		return "its translations would be written to " + target + ", as would those of " + source +
			"; put {NAME} or {DIR} into output"
	}
	return "its translations would be written to " + target + ", and those of " + source + " to " + others +
		": these" + alike
}

// unwritable is a problem with the path of a target. The configuration was proven for plain names: what is wrong comes
// from the name of this source file.
func unwritable(b *Bundle, l config.Language, target string) report.Problem {
	return report.Problem{Code: report.CodePath, File: b.Path, Language: l.Code,
		Problem: "its translations cannot be written to " + target + ": " + config.UnsafePath(target) + "; rename the file"}
}

// misplaced is a problem with what a key of the configuration says for a source file; it ends with where that key is.
func misplaced(b *Bundle, key string, l config.Language, what string) report.Problem {
	where := strings.TrimSuffix(b.Files.Problem(key, "").Error(), ": ")
	return report.Problem{Code: report.CodePath, File: b.Path, Language: l.Code, Problem: what + " (" + where + ")",
		Configuration: true}
}

// Parse reads one of the bundle's files in a language, source or translation, with the keys of plurals put together: in
// a translation those of the source file as it was read last.
func (b *Bundle) Parse(src []byte, l config.Language) (*resource.File, error) {
	f, err := b.Format.Parse(b.Keys(l), src)
	if err != nil {
		return nil, err
	}
	f = f.Prefixed(b.KeyPrefix)
	if !JoinsPlurals(b) {
		return f, nil
	}
	if b.root != nil && l.Code != b.Source.Code {
		if source := b.root.Load(); source != nil && source.plurals != nil {
			return f.Join(source.plurals.In(l.Code, Texts(f))), nil
		}
	}
	return f.Join(spelling.Join(Texts(f), b.Separator, l.Code)), nil
}

// JoinsPlurals reports whether plurals that the files spell as keys travel as one key with forms.
func JoinsPlurals(b *Bundle) bool {
	return b.Format.PluralKeys && !b.keysOnly
}

// KeptAsKeys reports whether plurals travel as keys, one by one, only since they did before.
func KeptAsKeys(b *Bundle) bool {
	return b.Format.PluralKeys && b.keysOnly && b.Files.Plurals == ""
}

// Rules are those of the plurals in a language's file.
func Rules(b *Bundle, l config.Language) spelling.Rules {
	rules := spelling.Rules{Language: l.Code, Source: b.Source.Code, Keys: b.Format.PluralKeys,
		Whole: b.Format.Programs.Whole}
	if b.root == nil {
		return rules
	}
	if source := b.root.Load(); source != nil {
		rules.Joined = source.plurals
	}
	return rules
}

// FileRules are those of a file that is there, which may have an index for its forms.
func FileRules(b *Bundle, l config.Language, f *resource.File) spelling.Rules {
	rules := Rules(b, l)
	rules.Indexed = f.Forms()
	return rules
}

// Keys says how the entries of one of the bundle's files, in a language, become keys.
func (b *Bundle) Keys(l config.Language) resource.Keys {
	keys := resource.Keys{Structured: b.Format.Structured, Separator: b.Separator, Roots: roots(b.Output.Spelled(l)),
		Translated: l.Code != b.Source.Code}
	if b.Format.Multilingual() && keys.Translated {
		keys.Language = b.Output.Spelled(l).Path
	}
	return keys
}

// roots are the names that a Rails root may have for a language, as the paths of its files spell it: both spellings,
// with hyphen and with underscore.
func roots(l config.Language) []string {
	names := []string{l.Path, l.Code}
	for _, n := range names[:2] {
		names = append(names, strings.ReplaceAll(n, "-", "_"), strings.ReplaceAll(n, "_", "-"))
	}
	slices.Sort(names[1:])
	return slices.Compact(names)
}

// Read reads and parses one file of the bundle. A file that is not there gives nil and no problem; one that cannot be
// read, or is under another language's root, gives a problem and no file.
func (b *Bundle) Read(fsys fs.FS, name string, l config.Language) (*resource.File, *report.Problem, error) {
	src, err := bound.ReadFS(fsys, name, resource.MaxBytes)
	if absent(err) {
		return nil, nil, nil
	}
	if bound.Is(err) {
		err = fmt.Errorf("it has more than %d MB, which no resource file has", resource.MaxBytes>>20)
		return nil, refused(name, l, err), nil
	}
	if err != nil && IsLink(fsys, name) {
		return nil, &report.Problem{Code: report.CodeRead, File: name, Language: l.Code, Problem: outside}, nil
	}
	if err != nil {
		if info, serr := fs.Stat(fsys, name); errors.Is(err, fs.ErrPermission) || serr == nil && !info.Mode().IsRegular() {
			return nil, &report.Problem{Code: report.CodeRead, File: name, Language: l.Code,
				Problem: "cannot be read as a file: " + err.Error() +
					"; it is skipped until a file that can be read is there"}, nil
		}
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	if name != b.Path && JoinsPlurals(b) {
		sourceIn(b, fsys) // by whose plurals a translation is read
	}
	f, err := b.Parse(onceRead(b, src), l)
	if err != nil {
		return nil, refused(name, l, err), nil
	}
	if name == b.Path && b.root != nil {
		b.root.Store(rootOf(b, fsys, f))
	}
	if p := foreignRoot(b, fsys, f, name, l); p != nil {
		return nil, p, nil
	}
	return f, nil, nil
}

// outside is what is wrong with a file or folder behind a link that cannot be followed.
const outside = "is, or is in, a symbolic link to something that is not a file of this repository; " +
	"it is skipped until the file itself is there"

// contents are the last ones of a file, the youngest first, as long as texts of them are in use.
type contents [4]struct {
	first weak.Pointer[byte]
	size  int
}

// onceRead is the content as it was read before, of a file with all languages: each of them would keep its own.
func onceRead(b *Bundle, src []byte) []byte {
	if b.content == nil || len(src) == 0 {
		return src
	}
	var last contents
	if known := b.content.Load(); known != nil {
		last = *known
	}
	for _, c := range last {
		if first := c.first.Value(); first != nil && c.size == len(src) {
			if same := unsafe.Slice(first, c.size); bytes.Equal(same, src) {
				return same
			}
		}
	}
	copy(last[1:], last[:])
	last[0].first, last[0].size = weak.Make(unsafe.SliceData(src)), len(src)
	b.content.Store(&last)
	return src
}

// IsLink reports whether a path, or a folder that it is in, is a symbolic link, in a tree that knows of those.
func IsLink(fsys fs.FS, name string) bool {
	for ; fs.ValidPath(name) && name != "."; name = path.Dir(name) {
		if info, err := fs.Lstat(fsys, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func refused(name string, l config.Language, err error) *report.Problem {
	words := err.Error() + "; correct the file, which is skipped until then"
	p := &report.Problem{Code: report.CodeSyntax, File: name, Language: l.Code, Problem: words}
	var syntax *resource.SyntaxError
	if errors.As(err, &syntax) {
		p.Line, p.Column = syntax.Line, syntax.Col
		p.Problem = syntax.Msg + "; correct the file, which is skipped until then"
	}
	return p
}

// Texts returns the texts of a file in order. Of several entries with one name the last counts. Of a key that is of
// several kinds, as Android's resources may be, there are the texts of one kind: the service has one for a key.
func Texts(f *resource.File) catalog.Catalog {
	c := allTexts(f)
	kept := severalKinds(c)
	if len(kept) == 0 {
		return c
	}
	return slices.DeleteFunc(c, func(u catalog.Unit) bool {
		kind, several := kept[u.Key]
		return several && kind != kindOf(u.Form)
	})
}

// kind is what the texts of a key are together, the one first that is kept of several.
type kind string

const (
	aPlural kind = "a plural"
	oneText kind = "one text"
	aList   kind = "a list"
)

func kindOf(form string) kind {
	switch {
	case form == "":
		return oneText
	case plural.IsCategory(form):
		return aPlural
	}
	return aList
}

// severalKinds are the keys that are of several kinds, each with the one that is kept, whatever their order.
func severalKinds(c catalog.Catalog) map[string]kind {
	if !slices.ContainsFunc(c, func(u catalog.Unit) bool { return u.Form != "" }) {
		return nil // most formats have one text for each key
	}
	first, several := make(map[string]kind, len(c)), make(map[string]kind)
	for _, u := range c {
		is := kindOf(u.Form)
		was, met := first[u.Key]
		if !met {
			first[u.Key] = is
			continue
		}
		if was != is {
			several[u.Key] = was
			if is == aPlural || was == aList {
				first[u.Key], several[u.Key] = is, is
			}
		}
	}
	return several
}

var keySeed, formSeed = maphash.MakeSeed(), maphash.MakeSeed()

// allTexts are those of all kinds.
func allTexts(f *resource.File) catalog.Catalog {
	if f == nil {
		return nil
	}
	c := make(catalog.Catalog, 0, f.Len())
	names := make([]uint64, 0, f.Len()) // their hashes, since an index of each file that is read would cost more
	for e := range f.Entries() {
		names = append(names, maphash.String(keySeed, e.Key)^maphash.String(formSeed, e.Form))
		if e.Kind == resource.Text {
			name := catalog.Name{Key: e.Key, Form: e.Form}
			c = append(c, catalog.Unit{Name: name, Text: e.Text, Note: e.Note, Flags: e.Flags})
		}
	}
	slices.Sort(names)
	if some := len(names); len(slices.Compact(names)) < some && len(f.Duplicates()) > 0 {
		c = slices.DeleteFunc(last(c), func(u catalog.Unit) bool {
			e, _ := f.Lookup(u.Key, u.Form)
			return e.Kind != resource.Text // a number, say, is what counts
		})
	}
	return slices.Clip(c)
}

// mayHaveForms is a quick look whether an entry of a file may have a form.
func mayHaveForms(f *resource.File) bool {
	if f.Plurals() != nil {
		return true
	}
	for i := range f.Len() {
		if kind := f.Node(i).Kind; kind == resource.Forms || kind == resource.List {
			return true
		}
	}
	return false
}

// Findings are the entries of a readable file that are left out and should not be: values nested in a flat format, and
// texts that its grammar cannot hand on.
func Findings(f *resource.File, name string, l config.Language) []report.Problem {
	var problems []report.Problem
	if nested := f.Nested(); len(nested) > 0 {
		others := ""
		if n := len(nested) - 1; n > 0 {
			others = fmt.Sprintf(", like %d more in this file,", n)
		}
		problems = append(problems, report.Problem{Code: report.CodeFormat, File: name, Key: nested[0], Language: l.Code,
			Problem: fmt.Sprintf("holds further values%s and the flat format has no keys for those; "+
				"set format to the structured one of its kind", others)})
	}
	for _, w := range f.Warnings() {
		if w.Left {
			problems = append(problems, warning(report.CodeFormat, f, name, l, w))
		}
	}
	if !mayHaveForms(f) {
		return problems // no key is of several kinds
	}
	all := allTexts(f)
	type left struct {
		key string
		kind
	}
	kept, named := severalKinds(all), make(map[left]bool)
	for _, u := range all {
		is, several := kept[u.Key]
		other := left{u.Key, kindOf(u.Form)}
		if !several || is == other.kind || named[other] {
			continue
		}
		named[other] = true
		problems = append(problems, report.Problem{Code: report.CodeShape, File: name, Key: u.Key, Language: l.Code,
			Problem: fmt.Sprintf("is %s and %s of one name, and the service has one of them for a key: the first is sent, "+
				"the other is left alone; give it another name", is, other.kind)})
	}
	return problems
}

// Warnings are what is odd in a readable file and keeps nothing from being sent. It is an error where the programs that
// read the file refuse it.
func Warnings(b *Bundle, f *resource.File, name string, l config.Language) []report.Problem {
	var problems []report.Problem
	for _, w := range f.Warnings() {
		if !w.Left && formats.Mind(f, w) {
			p := warning(report.CodeSpelling, f, name, l, w)
			p.Severity = severity(w.Fails)
			problems = append(problems, p)
		}
	}
	said := "is in this file twice; the last one counts. Take one of them out"
	if b.Format.Programs.Once {
		said = "is in this file twice, and the tools that read it refuse the file; take one of them out"
	}
	for _, d := range f.Duplicates() {
		p := report.Problem{Code: report.CodeDuplicate, File: name, Language: l.Code, Key: f.KeyOf(d[1]), Problem: said,
			Severity: severity(b.Format.Programs.Once)}
		p.Line, p.Column = f.Position(int(f.Node(d[1]).Whole.Start))
		problems = append(problems, p)
	}
	return problems
}

func severity(fails bool) string {
	if fails {
		return report.Error
	}
	return report.Warning
}

func warning(code string, f *resource.File, name string, l config.Language, w resource.Warning) report.Problem {
	p := report.Problem{Code: code, File: name, Language: l.Code, Problem: w.Msg, Key: f.KeyOf(w.Node)}
	at := w.At
	if at == 0 {
		at = int(f.Node(w.Node).Whole.Start)
	}
	p.Line, p.Column = f.Position(at)
	return p
}

// Unsent finds the keys of a file that are not sent, and why: those that it has twice, and those that the format which
// texts travel in cannot hold.
func Unsent(b *Bundle, f *resource.File) map[string]string {
	unsent, format := clashes(f), b.Format.Exchanged()
	for e := range f.Entries() {
		if e.Kind != resource.Text || unsent[e.Key] != "" {
			continue
		}
		err := cmp.Or(format.Holds(e.Text), format.HoldsKey(e.Key))
		if spelling.IsForm(e.Form) && !slices.Contains(plural.Order, e.Form) {
			err = fmt.Errorf(formless+"%q, which no language has; correct its name", e.Form)
		}
		if err != nil {
			unsent[e.Key] = unheld + err.Error()
		}
	}
	return unsent
}

// unheld begins the reason of a key that cannot travel, and formless what follows where a form is the reason.
const (
	unheld   = "cannot be sent to the service, nor translated there: "
	formless = "its plural has the form "
)

// CodeOfUnsent is the code of such a reason.
func CodeOfUnsent(why string) string {
	if strings.HasPrefix(why, unheld+formless) {
		return report.CodePlurals
	}
	if strings.HasPrefix(why, unheld) {
		return report.CodeCharacters
	}
	return report.CodeClash
}

// clashes finds the keys that are twice in a file, with different texts.
func clashes(f *resource.File) map[string]string {
	clash := make(map[string]string)
	for _, d := range f.Duplicates() {
		if f.Node(d[0]).Kind != resource.Text || f.Node(d[1]).Kind != resource.Text {
			continue
		}
		if one, two := f.Text(d[0]), f.Text(d[1]); one != two {
			clash[f.KeyOf(d[1])] = fmt.Sprintf("is in this file twice with different texts, %q and %q; neither is sent until "+
				"one is left", one, two)
		}
	}
	return clash
}
