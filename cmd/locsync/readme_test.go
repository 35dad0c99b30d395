package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
)

// pagesForPeople are the pages about the program, in the order in which a newcomer reads them.
func pagesForPeople(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	pages := []string{filepath.Join(root, "README.md"), filepath.Join("docs", "first-contact.md")}
	for _, pattern := range []string{"docs/*.md", "../../systemd/*.md", "../../.github/*.md"} {
		more, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, page := range more {
			if !slices.Contains(pages, page) {
				pages = append(pages, page)
			}
		}
	}
	return pages
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is a fenced block of a page.
type block struct{ page, language, text string }

func blocksOf(t *testing.T, pages ...string) []block {
	t.Helper()
	var blocks []block
	for _, page := range pages {
		text := readPage(t, page)
		for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			blocks = append(blocks, block{page, m[1], m[2]})
		}
	}
	return blocks
}

// reader is one who follows the pages, in a repository of two languages.
type reader struct {
	home, repo string
	ran        int
	demo       string // what the demo printed
}

func newReader(t *testing.T) *reader {
	t.Helper()
	home := t.TempDir()
	r := &reader{home: home, repo: filepath.Join(home, "my-app")}
	for name, text := range map[string]string{"locales/en/app.json": `{"a": "A"}`,
		"locales/de/app.json": `{"a": "Ä"}`} {
		file := filepath.Join(r.repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q -b main", "add -A", "commit -q -m start"} {
		if _, err := r.run(append([]string{"git"}, strings.Fields(args)...)...); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *reader) run(args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = r.repo
	cmd.Env = append(os.Environ(), "HOME="+r.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return string(out), nil
}

func (r *reader) locsync(args ...string) error {
	r.ran++
	out, err := r.run(append([]string{"locsync"}, args...)...)
	if args[0] == "demo" {
		r.demo = out
	}
	return err
}

// types does what a line of a shell says. What needs the network, root or minutes is known by name and checked by its
// parts.
func (r *reader) types(line string) error {
	command, _, _ := strings.Cut(strings.TrimSpace(line), "#")
	command, _, _ = strings.Cut(command, " >") // into a file of the reader's
	args := strings.Fields(command)
	switch {
	case len(args) == 0, args[0] == "cd", args[0] == "export", strings.HasPrefix(command, "go test"):
		return nil
	case strings.HasPrefix(command, "go build"): // in a clone of this repository
		build := append([]string{"build", "-o", filepath.Join(r.repo, "locsync")}, args[2:]...)
		cmd := exec.Command("go", build...)
		cmd.Dir = filepath.Join("..", "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		return nil
	case args[0] == "install":
		_, err := r.run("sh", "-c", command)
		return err
	case strings.HasPrefix(command, "go run ./cmd/locsync"):
		return r.locsync(args[3:]...)
	case slices.Contains([]string{"sudo", "tar", "docker", "kubectl", "helm", "npm", "brew", "echo", "ssh", "ssh-keygen",
		"sha256sum", "systemd/package/build", ".ci/run"}, args[0]):
		for _, arg := range args { // .ci/run builds and installs the packages
			if strings.HasPrefix(arg, "systemd/") || strings.HasPrefix(arg, ".ci/") {
				if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(arg))); err != nil {
					return err
				}
			}
		}
		return nil
	case args[0] == "git":
		_, err := r.run(args...)
		return err
	case strings.HasPrefix(command, "locsync service "): // needs one that runs: see the scripts service_*.txtar
		return r.locsync(append(args[1:], "--help")...)
	case args[0] == "locsync":
		return r.locsync(args[1:]...)
	}
	return fmt.Errorf("the test does not know what to do with %q", command)
}

// Every configuration that a page shows is valid, every command in it does what is said, in the order in which they are
// read, and every difference was made. A command of another kind fails the test.
func TestPages(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	gittest.Need(t)
	r := newReader(t)
	for _, b := range blocksOf(t, pagesForPeople(t)...) {
		switch {
		case b.language == "toml":
			if _, err := config.Parse("locsync.toml", []byte(b.text)); err != nil {
				t.Errorf("%s: %v\n%s", b.page, err, b.text)
			}
		case b.language == "text", filepath.Base(b.page) == "team.md": // a drawing, and what TestTeam does
		case slices.Contains([]string{"nginx", "caddy", "ini"}, b.language): // tried by TestHosting...
		case b.language == "json":
			if !json.Valid([]byte(b.text)) {
				t.Errorf("%s: not JSON:\n%s", b.page, b.text)
			}
		case b.language == "diff":
			shown := "   " + strings.ReplaceAll(strings.TrimSuffix(b.text, "\n"), "\n", "\n   ")
			if !strings.Contains(r.demo, shown) {
				t.Errorf("%s: the demo does not print\n%s\nbut\n%s", b.page, shown, r.demo)
			}
		case b.language == "yaml" && strings.Contains(b.text, "scrape_configs:"):
			checkScrape(t, b.text)
		case b.language == "yaml" && filepath.Base(b.page) == "kubernetes.md": // values: see TestChart
		case b.language == "yaml": // jobs of git hosts: what they run of ours runs here
			for _, line := range jobLines(t, b.text) {
				command, ok := strings.CutPrefix(line, "locsync ")
				if !ok {
					t.Errorf("%s: the test does not know what to do with %q", b.page, line)
				} else if err := r.locsync(strings.Fields(command)...); err != nil {
					t.Errorf("%s: %v", b.page, err)
				}
			}
		case b.language == "sh":
			for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", "")) {
				if err := r.types(line); err != nil {
					t.Errorf("%s: %v", b.page, err)
				}
			}
		default:
			t.Errorf("%s: a block of kind %q: the test does not know what to do with it", b.page, b.language)
		}
	}
	checkPicture(t, r.demo)
	if r.ran < 30 {
		t.Errorf("only %d commands were run", r.ran)
	}
}

// README is short, and every link within the project leads to a file.
func TestLinks(t *testing.T) {
	t.Parallel()
	if size := len(readPage(t, filepath.Join("..", "..", "README.md"))); size > 9000 {
		t.Errorf("README.md has %d bytes, more than 9,000: the long half belongs to docs", size)
	}
	links := 0
	for _, page := range pagesForPeople(t) {
		for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readPage(t, page), -1) {
			file, _, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d links were found", links)
	}
}

// checkScrape: Prometheus finds the daemon where it is by default, and the rules by the name that they have.
func checkScrape(t *testing.T, text string) {
	t.Helper()
	var c struct {
		Rules  []string `yaml:"rule_files"`
		Scrape []struct {
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(text), &c); err != nil || len(c.Rules) != 1 || len(c.Scrape) != 1 ||
		len(c.Scrape[0].Static) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	rules, err := filepath.Abs(filepath.Join("..", "..", "systemd", c.Rules[0]))
	if err == nil {
		_, err = os.Stat(rules)
	}
	if err != nil {
		t.Error(err)
	}
	example, err := config.Load(filepath.Join("..", "..", "config.example.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Scrape[0].Static[0].Targets; !slices.Equal(got, []string{example.Daemon.Listen}) {
		t.Errorf("%v is scraped, the daemon listens on %s", got, example.Daemon.Listen)
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("no promtool here (apt-get install prometheus): the block is not checked by it")
		return
	}
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(strings.Replace(text, c.Rules[0], rules, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "check", "config", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// jobLines are the lines that a forge's jobs run: of GitHub Actions (a whole workflow, or steps alone) and of GitLab.
func jobLines(t *testing.T, text string) []string {
	t.Helper()
	type step struct {
		Run, Uses string
		With      map[string]string
	}
	type job struct {
		Steps  []step
		Script []string
	}
	var steps []step
	var jobs map[string]yaml.Node
	if yaml.Unmarshal([]byte(text), &steps) != nil {
		if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	var lines []string
	if all, workflow := jobs["jobs"]; workflow {
		jobs = nil
		if err := all.Decode(&jobs); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if included, is := jobs["include"]; is {
		delete(jobs, "include")
		lines = append(lines, includedLines(t, included)...)
	}
	for name, node := range jobs {
		var j job
		if err := node.Decode(&j); err != nil {
			t.Errorf("job %s: %v", name, err)
		}
		steps = append(steps, j.Steps...)
		lines = append(lines, j.Script...)
	}
	for _, s := range steps {
		switch {
		case s.Run != "":
			lines = append(lines, s.Run)
		case strings.HasPrefix(s.Uses, "locsync/locsync/.github/actions/locsync@"):
			lines = append(lines, calledBy(t, ".github/actions/locsync/action.yml", s.With))
		}
	}
	if len(lines) == 0 {
		t.Errorf("nothing is run by\n%s", text)
	}
	return lines
}

// includedLines are what included jobs of ours run.
func includedLines(t *testing.T, included yaml.Node) (lines []string) {
	t.Helper()
	var all []struct {
		Local  string // a copy of a file of this project
		Inputs map[string]string
	}
	if err := included.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, of := range all {
		lines = append(lines, calledBy(t, of.Local, of.Inputs))
	}
	return lines
}

// calledBy is what a file of ours for CI runs with these inputs, which it has.
func calledBy(t *testing.T, file string, with map[string]string) string {
	t.Helper()
	var document struct {
		Inputs map[string]struct{ Default string }
		Spec   struct {
			Inputs map[string]struct{ Default string }
		}
	}
	readYAML(t, file, &document)
	inputs := document.Inputs
	if inputs == nil {
		inputs = document.Spec.Inputs
	}
	for name := range with {
		if _, has := inputs[name]; !has {
			t.Errorf("%s has no input %s", file, name)
		}
	}
	return "locsync " + cmp.Or(with["command"], inputs["command"].Default)
}

// The messages that the manual explains are those that the program has: each part of one is, word for word, in a text
// of the code.
func TestExplainedMessages(t *testing.T) {
	t.Parallel()
	page := readPage(t, filepath.Join("docs", "troubleshooting.md"))
	_, table, ok := strings.Cut(page, "| it says | what it means |\n|---|---|\n")
	if !ok {
		t.Fatal("the table of messages is gone")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	texts := constantTexts(t)
	said := 0
	for row := range strings.Lines(table) {
		message, _, ok := strings.Cut(strings.TrimPrefix(row, "| `"), "` | ")
		if !ok {
			t.Errorf("a row without a message: %s", row)
		}
		said++
		for part := range strings.SplitSeq(message, "…") {
			if part = strings.Trim(part, `"`); len(part) > 2 && !strings.Contains(texts, part) {
				t.Errorf("no text of the program holds %q, of %q", part, message)
			}
		}
	}
	if said < 10 {
		t.Errorf("only %d messages were looked for", said)
	}
}

// constantTexts is every string that the program's own code holds, joined ones as a whole, a line between two.
func constantTexts(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	var text func(e ast.Expr) string
	text = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
				return s
			}
		case *ast.BinaryExpr:
			return text(e.X) + text(e.Y)
		case *ast.ParenExpr:
			return text(e.X)
		}
		return "\n"
	}
	for _, files := range packageFiles(t) {
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.BasicLit, *ast.BinaryExpr:
					all.WriteString(text(n.(ast.Expr)) + "\n")
				}
				return true
			})
		}
	}
	return all.String()
}

// The commands and flags that the manual tells of are there, and none is missing from its table.
func TestManualNamesTheCommands(t *testing.T) {
	page := readPage(t, filepath.Join("docs", "commands.md"))
	root := (&app{}).root()
	told := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `locsync ([^`]+)` \\|(.*)$").FindAllStringSubmatch(page, -1) {
		words := strings.Fields(row[1])
		c, rest, err := root.Find(words)
		if err != nil || c == root || len(rest) > 0 {
			t.Errorf("the manual tells of locsync %s, which there is not", row[1])
			continue
		}
		told[c.CommandPath()] = true
		for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(row[2], -1) {
			if c.Flags().Lookup(flag[1]) == nil {
				t.Errorf("the manual tells of locsync %s --%s, which there is not", row[1], flag[1])
			}
		}
	}
	for _, c := range root.Commands() {
		if c.Name() != "help" && !c.IsAdditionalHelpTopicCommand() && !c.Hidden &&
			!told[c.CommandPath()] && !c.HasSubCommands() {
			t.Errorf("the manual does not tell of %s", c.CommandPath())
		}
	}
}

// Every command says what it is for and shows how it is called; the examples are valid command lines.
func TestHelp(t *testing.T) {
	root := (&app{}).root()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.IsAdditionalHelpTopicCommand() {
				walk(sub)
			}
		}
		if c == root || c.HasSubCommands() {
			return
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no description or no example", c.CommandPath())
		}
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", "")) {
			command, _, _ := strings.Cut(line, "#")
			command, _, _ = strings.Cut(command, " > ")
			for part := range strings.SplitSeq(command, "&&") {
				args := strings.Fields(part)
				if len(args) == 0 || args[0] != "locsync" {
					continue
				}
				found, rest, err := (&app{}).root().Find(args[1:])
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err == nil {
					err = found.ValidateArgs(found.Flags().Args())
				}
				if err != nil {
					t.Errorf("the example of %s: %q: %v", c.CommandPath(), strings.TrimSpace(part), err)
				}
			}
		}
	}
	walk(root)
}
