package main

import (
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

// block is a fenced block of README.md.
type block struct{ language, text string }

func readmeBlocks(t *testing.T) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks were found", len(blocks))
	}
	return blocks
}

// Every configuration that README.md shows is valid, and every command in it does what is said, in the order that a reader would type them. What
// needs the network, root or minutes is known by name and checked by its parts; a command of another kind fails the test until somebody decides.
func TestReadme(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	home := t.TempDir()
	repo := filepath.Join(home, "my-app")
	for name, text := range map[string]string{"locales/en/app.json": `{"a": "A"}`, "locales/de/app.json": `{"a": "Ä"}`} {
		file := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	inRepo := func(args ...string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
		return nil
	}
	for _, args := range [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "start"}} {
		if err := inRepo(args...); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, b := range readmeBlocks(t) {
		switch b.language {
		case "toml":
			if _, err := config.Parse("locsync.toml", []byte(b.text)); err != nil {
				t.Errorf("%v\n%s", err, b.text)
			}
			continue
		case "yaml":
			if strings.Contains(b.text, "scrape_configs:") {
				checkScrape(t, b.text)
				continue
			}
			// jobs of forges: what they run of ours runs here
			for _, line := range jobLines(t, b.text) {
				if command, ok := strings.CutPrefix(line, "go run github.com/locsync/locsync/cmd/locsync@latest "); ok {
					ran++
					if err := inRepo(append([]string{"locsync"}, strings.Fields(command)...)...); err != nil {
						t.Error(err)
					}
				} else {
					t.Errorf("the test does not know what to do with %q", line)
				}
			}
			continue
		case "sh":
		default:
			t.Errorf("a block of kind %q: the test does not know what to do with it", b.language)
		}
		for line := range strings.Lines(b.text) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), "#")
			command, _, _ = strings.Cut(command, " >") // into a file of the reader's
			args := strings.Fields(command)
			var err error
			switch {
			case len(args) == 0, args[0] == "cd":
			case strings.HasPrefix(command, "go run ./cmd/locsync"):
				err = inRepo(append([]string{"locsync"}, args[3:]...)...)
			case strings.HasPrefix(command, "go test"), strings.HasPrefix(command, "go install github.com/locsync/locsync/cmd/locsync@"):
			case slices.Contains([]string{"sudo", "tar", "docker", "kubectl", "systemd/package/build"}, args[0]): // .ci/run builds and installs the packages
				for _, arg := range args {
					if strings.HasPrefix(arg, "systemd/") {
						_, err = os.Stat(filepath.Join("..", "..", filepath.FromSlash(arg)))
					}
				}
			case args[0] == "locsync":
				ran++
				err = inRepo(args...)
			default:
				err = fmt.Errorf("the test does not know what to do with %q", command)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if ran < 4 {
		t.Errorf("only %d commands were run", ran)
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
	if err := yaml.Unmarshal([]byte(text), &c); err != nil || len(c.Rules) != 1 || len(c.Scrape) != 1 || len(c.Scrape[0].Static) != 1 {
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
	type step struct{ Run string }
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
	for name, node := range jobs {
		var j job
		if err := node.Decode(&j); err != nil {
			t.Errorf("job %s: %v", name, err)
		}
		steps = append(steps, j.Steps...)
		lines = append(lines, j.Script...)
	}
	for _, s := range steps {
		if s.Run != "" {
			lines = append(lines, s.Run)
		}
	}
	if len(lines) == 0 {
		t.Errorf("nothing is run by\n%s", text)
	}
	return lines
}

// The messages that README.md explains are those that the program has: each part of one stands, word for word, in a text of the code.
func TestReadmeMessages(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(data), "| it says | what it means |\n|---|---|\n")
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

// The commands and flags that README.md tells of are there, and none is missing from its table.
func TestReadmeNamesTheCommands(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	root := (&app{}).root()
	told := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `locsync ([^`]+)` \\|(.*)$").FindAllStringSubmatch(string(data), -1) {
		words := strings.Fields(row[1])
		c, rest, err := root.Find(words)
		if err != nil || c == root || len(rest) > 0 {
			t.Errorf("README tells of locsync %s, which there is not", row[1])
			continue
		}
		told[c.CommandPath()] = true
		for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(row[2], -1) {
			if c.Flags().Lookup(flag[1]) == nil {
				t.Errorf("README tells of locsync %s --%s, which there is not", row[1], flag[1])
			}
		}
	}
	for _, c := range root.Commands() {
		if c.Name() != "help" && !c.IsAdditionalHelpTopicCommand() && !c.Hidden && !told[c.CommandPath()] && !c.HasSubCommands() {
			t.Errorf("README does not tell of %s", c.CommandPath())
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
