package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// smallest is a configuration that says only what it must.
const smallest = `
[[project]]
name = "app"
source_language = "en"
target_languages = ["de", "pt-BR"]
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
`

func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("locsync.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func problemsOf(t *testing.T, text string) Problems {
	t.Helper()
	_, err := Parse("locsync.toml", []byte(text))
	ps, ok := errors.AsType[Problems](err)
	if !ok {
		t.Fatalf("got error %v, want Problems", err)
	}
	return ps
}

// Each file of testdata is a configuration with mistakes; the comment "want: text" beside a mistake is
// what must be said about that line ("want+-1" about the line before), and nothing else may be said.
func TestProblemsAllAtOnce(t *testing.T) {
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Load(file)
			got, ok := errors.AsType[Problems](err)
			if !ok {
				t.Fatalf("got error %v, want Problems", err)
			}
			type wanted struct {
				line int
				text string
			}
			var want []wanted
			for i, line := range strings.Split(string(data), "\n") {
				_, comment, ok := strings.Cut(line, "# want")
				if !ok {
					continue
				}
				offset, text, _ := strings.Cut(comment, ": ")
				back, _ := strconv.Atoi(strings.TrimPrefix(offset, "+"))
				want = append(want, wanted{i + 1 + back, text})
			}
			for _, w := range want {
				found := false
				for i, p := range got {
					if p.Line == w.line && strings.HasPrefix(p.Key+": "+p.Message, w.text) {
						got, found = append(got[:i:i], got[i+1:]...), true
						break
					}
				}
				if !found {
					t.Errorf("line %d: nothing says %q", w.line, w.text)
				}
			}
			for _, p := range got {
				t.Errorf("unexpected: %v", p)
			}
			for i := 1; i < len(got); i++ {
				if got[i-1].Line > got[i].Line {
					t.Errorf("line %d is reported before line %d", got[i-1].Line, got[i].Line)
				}
			}
		})
	}
}

func TestProblemsAreSortedAndNameTheFile(t *testing.T) {
	_, err := Load("testdata/service.toml")
	ps, _ := errors.AsType[Problems](err)
	if len(ps) < 10 {
		t.Fatalf("got %d problems", len(ps))
	}
	for i, p := range ps {
		if p.File != "testdata/service.toml" || p.Line < 1 {
			t.Errorf("%+v lacks its place", p)
		}
		if i > 0 && ps[i-1].Line > p.Line {
			t.Errorf("line %d comes before line %d", ps[i-1].Line, p.Line)
		}
	}
	if first := ps[0].Error(); !strings.HasPrefix(first, "testdata/service.toml:1: state_dir: ") {
		t.Errorf("got %q", first)
	}
	if strings.Contains(err.Error(), "hunter") {
		t.Error("a message quotes what may be a secret")
	}
}

func TestSyntaxErrorHasItsPlace(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		says       string
	}{
		{"unquoted", "[service]\nurl = embedded\n", 2, `a text needs quotes: url = "embedded"`},
		{"unquoted address", "[service]\naccount_id = \"a\"\nurl = https://a.example/x # ours\n", 3,
			`a text needs quotes: url = "https://a.example/x"`},
		{"word", "[service]\nurl embedded\n", 2, "not valid TOML"},
		{"duplicate", "[service]\nurl = \"embedded\"\nurl = \"embedded\"\n", 3, "not valid TOML"},
		{"open string", "state_dir = \"x\n", 1, "not valid TOML"},
		{"not text", "\x00\x01\x02", 1, "not valid TOML"},
		{"empty", "", 1, "locsync project add writes one"},
		{"one bracket", "[project]\nname = \"x\"\n", 1, "write [[project]] with two brackets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ps := problemsOf(t, c.text)
			if ps[0].Line != c.line || !strings.Contains(ps[0].Error(), c.says) || len(ps) != 1 {
				t.Errorf("got %v, want line %d, %q", ps, c.line, c.says)
			}
		})
	}
}

func TestTooLargeIsRefused(t *testing.T) {
	ps := problemsOf(t, strings.Repeat("# x\n", maxSize/4+1))
	if len(ps) != 1 || ps[0].Line != 1 {
		t.Errorf("got %v", ps)
	}
}

func TestDefaultsHoldWhereTheFileIsSilent(t *testing.T) {
	c := mustParse(t, smallest)
	p := c.Projects[0]
	if !c.Service.Embedded() || c.Service.JobTimeout != 30*time.Minute || c.Daemon.Debounce != 300*time.Millisecond {
		t.Errorf("service %+v, daemon %+v", c.Service, c.Daemon)
	}
	if p.ID != PlaceholderID || p.Repository != "." || !p.Push.Translations || p.Pull.Guard != 0.3 || p.Pull.Schedule.String() != "*/15 * * * *" {
		t.Errorf("project %+v", p)
	}
	if f := p.Files[0]; f.Format != "json" || f.Collection != "main" || f.PathSeparator != "" {
		t.Errorf("files %+v", f)
	}
}

// One project's values are no defaults for the next one.
func TestProjectsDoNotShareValues(t *testing.T) {
	c := mustParse(t, smallest+`
[project.pull]
guard = 0.5
enabled = false
`+strings.Replace(smallest, `"app"`, `"other"`, 1)+"[project.push]\nenabled = false\n[project.pull]\nbranch = 'second'\n")
	if a, b := c.Projects[0], c.Projects[1]; a.Pull.Guard != 0.5 || a.Pull.Enabled || !a.Push.Enabled || b.Pull.Guard != 0.3 || !b.Pull.Enabled || b.Push.Enabled {
		t.Errorf("got %+v and %+v", a.Pull, b.Pull)
	}
}

func TestFormatByExtension(t *testing.T) {
	for glob, want := range map[string]string{
		"a/*.json": "json", "a.yaml": "yaml", "a.YML": "yaml", "en.lproj/*.strings": "ios-strings", "res/values/*.xml": "android-xml",
		"x.locjson": "locjson", "x.{yaml,yml}": "yaml", "x.{yaml,json}": "", "x": "", "x.txt": "",
	} {
		if got := guessFormat(glob); got != want {
			t.Errorf("%s: got %q, want %q", glob, got, want)
		}
	}
}

func TestSeparatorOfStructuredFormats(t *testing.T) {
	text := strings.Replace(smallest, "output", "format = \"structured-json\"\noutput", 1)
	if f := mustParse(t, text).Projects[0].Files[0]; f.PathSeparator != "/" {
		t.Errorf("got %q, want the service's default", f.PathSeparator)
	}
	if f := mustParse(t, text+"path_separator = \".\"\n").Projects[0].Files[0]; f.PathSeparator != "." {
		t.Errorf("got %q", f.PathSeparator)
	}
	if ps := problemsOf(t, text+"path_separator = \"\"\n"); ps[0].Key != "project.files.path_separator" {
		t.Errorf("got %v", ps)
	}
}

func TestRealServiceNeedsRealIDs(t *testing.T) {
	text := "[service]\nurl = \"http://127.0.0.1:7430\"\naccount_id = \"me\"\n" + smallest
	if ps := problemsOf(t, text); len(ps) != 1 || ps[0].Key != "project.id" || !strings.Contains(ps[0].Message, "identifier at the service") {
		t.Errorf("got %v", ps)
	}
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadForCreate(path)
	if err != nil || c.Projects[0].HasID() || len(c.Warnings) != 0 {
		t.Errorf("for creation: %v, %+v", err, c)
	}
}

// Projects of several repositories that send to one collection of one project are told of it; at the embedded service
// those without an identifier are one.
func TestSharedProject(t *testing.T) {
	const service = "[service]\nurl = \"https://l10n.example.com\"\naccount_id = \"me\"\n"
	const id = "id = \"3f0a1c52-7b1e-4a5e-9c3b-2d1f0e9a8b7c\"\nsource_language"
	known := strings.Replace(smallest, "source_language", id, 1)
	second := func(from, to string) string {
		return strings.NewReplacer(`"app"`, `"other"`, from, to).Replace(smallest)
	}
	for name, row := range map[string]struct {
		text  string
		warns int
	}{
		"one":              {smallest, 0},
		"two repositories": {smallest + second("source_language", "repository = \"b\"\nsource_language"), 1},
		"an identifier": {smallest + second("source_language",
			"repository = \"b\"\nid = \"3f0a1c52-7b1e-4a5e-9c3b-2d1f0e9a8b7c\"\nsource_language"), 0},
		"one repository": {smallest + second("", "") + "[project.pull]\nbranch = 'second'\n", 0},
		"one identifier": {service + known + second("source_language", "repository = \"b\"\n"+id), 1},
		"its collections": {service + known + second("source_language", "repository = \"b\"\n"+id) +
			"collection = \"b\"\n", 0},
	} {
		c := mustParse(t, row.text)
		if len(c.Warnings) != row.warns {
			t.Errorf("%s: %v", name, c.Warnings)
		}
	}
}

func TestPlainHTTP(t *testing.T) {
	text := "[service]\nurl = \"http://l10n.example.com/x\"\naccount_id = \"me\"\n" +
		strings.Replace(smallest, "name", "id = \"3f0a1c52-7b1e-4a5e-9c3b-2d1f0e9a8b7c\"\nname", 1)
	if ps := problemsOf(t, text); len(ps) != 1 || ps[0].Line != 2 || !strings.Contains(ps[0].Message, "allow_insecure") {
		t.Errorf("got %v", ps)
	}
	c := mustParse(t, strings.Replace(text, "account_id", "allow_insecure = true\naccount_id", 1))
	if len(c.Warnings) != 1 || c.Warnings[0].Line != 2 {
		t.Errorf("got %v", c.Warnings)
	}
}

func TestTwoProjectsMayShareFilesOnBranchesOfTheirOwn(t *testing.T) {
	second := strings.Replace(smallest, `"app"`, `"next"`, 1)
	if ps := problemsOf(t, smallest+second); len(ps) != 1 || ps[0].Key != "project.files.output" {
		t.Errorf("one branch: %v", ps)
	}
	mustParse(t, smallest+second+"[project.pull]\nbranch = \"l10n-next\"\n")
	mustParse(t, smallest+strings.Replace(second, "source_language", "repository = \"../next\"\nsource_language", 1))
}

// The nearest file counts, from the folder up to its repository's root; what is above that is no business of the repository's.
func TestFind(t *testing.T) {
	above := t.TempDir()
	top := filepath.Join(above, "repository")
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(filepath.Join(deep, FileName), 0o755); err != nil { // a folder of that name is none
		t.Fatal(err)
	}
	write := func(path string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(smallest), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	finds := func(dir, want string) {
		t.Helper()
		got, err := Find(dir)
		if got != want || want == "" && !errors.Is(err, ErrNotFound) || want != "" && err != nil {
			t.Errorf("in %s: got %q, %v, want %q", dir, got, err, want)
		}
	}
	write(filepath.Join(above, FileName))
	inTop := write(filepath.Join(top, FileName))
	finds(top, inTop)
	finds(deep, "") // outside of a repository
	git := filepath.Join(top, ".git")
	if err := os.Mkdir(git, 0o700); err != nil {
		t.Fatal(err)
	}
	finds(deep, inTop)
	inA := write(filepath.Join(top, "a", FileName))
	finds(deep, inA)
	link := filepath.Join(above, "link")
	if err := os.Symlink(deep, link); err != nil {
		t.Fatal(err)
	}
	finds(link, inA)
	if err := errors.Join(os.Remove(inTop), os.Remove(inA)); err != nil {
		t.Fatal(err)
	}
	finds(deep, "")

	if err := errors.Join(os.Remove(git), os.WriteFile(git, []byte("gitdir: elsewhere\n"), 0o600)); err != nil { // a linked working tree, or a submodule
		t.Fatal(err)
	}
	finds(deep, "")
	bare := filepath.Join(above, "bare.git")
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(bare, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	finds(bare, "")
	finds(filepath.Join(bare, "refs"), "")

	c, err := Load(filepath.Join(above, FileName))
	if err != nil || c.Resolve("x/y") != filepath.Join(above, "x", "y") || c.Resolve("/x") != "/x" || c.Resolve("") != "" {
		t.Errorf("relative paths do not begin at the file: %v", err)
	}
}

func TestLoadWithoutFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.toml"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "locsync init") {
		t.Errorf("got %v", err)
	}
}

func TestCommitMessage(t *testing.T) {
	c := mustParse(t, smallest)
	got, err := c.Projects[0].Pull.Message(CommitData{Project: "app", Languages: []string{"de", "fr"}, Keys: 3})
	if err != nil || got != "Update translations (de, fr)" {
		t.Errorf("got %q, %v", got, err)
	}
	c.Projects[0].Pull.CommitMessage = "{{.Keys}} keys in {{ len .Files }} files\n\n{{ join .Files \"\\n\" }}\n"
	got, err = c.Projects[0].Pull.Message(CommitData{Files: []string{"a", "b"}, Keys: 3})
	if err != nil || got != "3 keys in 2 files\n\na\nb" {
		t.Errorf("got %q, %v", got, err)
	}
	c.Projects[0].Pull.CommitMessage = "{{ range 1000000000 }}x{{ end }}"
	if _, err := c.Projects[0].Pull.Message(CommitData{}); err == nil {
		t.Error("an endless message is no error")
	}
}

func TestPushCovers(t *testing.T) {
	p := Push{}
	if !p.Covers("main") || !p.Covers("") {
		t.Error("no branches: any is covered")
	}
	p.Branches = []string{"main", "release/*"}
	for branch, want := range map[string]bool{"main": true, "release/1.2": true, "release/1/2": false, "dev": false, "": false} {
		if p.Covers(branch) != want {
			t.Errorf("%q: got %v", branch, !want)
		}
	}
}

// How a project spells a language matters for those files alone that do not spell it their own way.
func TestSpellingsThatNoFileUses(t *testing.T) {
	const head = "[[project]]\nname = \"app\"\nsource_language = \"en\"\ntarget_languages = [\"zh-Hans\", \"zh-TW\"]\nlanguage_paths = { \"zh-Hans\" = \"zh-tw\" }\n"
	file := func(name, own string) string {
		return "[[project.files]]\nsource = \"" + name + "/en.json\"\noutput = \"" + name + "/{LANGUAGE}.json\"\n" + own
	}
	const own, other = "language_paths = { \"zh-Hans\" = \"zh-CN\" }\n", "language_paths = { \"zh-TW\" = \"zh-TW\" }\n"
	const project, single = "project.language_paths.zh-Hans: zh-Hans and zh-TW would have the same files", "project.files.output: zh-Hans and zh-TW would have the same file, a/zh-TW.json"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"each file spells its own way", head + file("a", own) + file("b", own), nil},
		{"one does not", head + file("a", own) + file("b", ""), []string{project}},
		{"one spells the other language its own way", head + file("a", other) + file("b", own), []string{single}},
		{"there are no files yet", head, []string{project, "project.files: there is no"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("locsync.toml", []byte(c.text))
			var problems Problems
			if err != nil && !errors.As(err, &problems) {
				t.Fatal(err)
			}
			if len(problems) != len(c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
		})
	}
}

// A file with all languages is its own output, and none else.
func TestOutputOfAFileWithAllLanguages(t *testing.T) {
	const project = "[[project]]\nname = \"a\"\nid = \"00000000-0000-0000-0000-000000000000\"\nsource_language = \"en\"\ntarget_languages = [\"de\", \"fr\"]\n" +
		"[[project.files]]\nsource = \"App/**/*.xcstrings\"\n"
	for output, fails := range map[string]bool{"": false, "output = \"App/**/*.xcstrings\"\n": false,
		"output = \"{LANGUAGE}.xcstrings\"\n": true} {
		c, err := Parse("locsync.toml", []byte(project+output))
		if (err != nil) != fails {
			t.Errorf("%q: %v", output, err)
		}
		if err != nil {
			continue
		}
		files := &c.Projects[0].Files[0]
		const path = "App/a/{x}.xcstrings"
		source, fits := files.SourceFile(path)
		if got := files.OutputOf(path, source).Path(Language{"de", "de"}, ""); !fits || got != path {
			t.Errorf("%q, %v", got, fits)
		}
		if patterns := c.Projects[0].WatchPatterns(); len(patterns) != 1 {
			t.Errorf("%q", patterns)
		}
	}
}
