//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// team is the people of the page about setting up for a team.
type team struct {
	*testing.T
	dir, url, key string
	port          int
	service       lockedBuffer
	links         []string // of invitations, in order
	ran           int      // commands of locsync
}

// folders are where a person is, by the first line of a block.
var folders = map[string]string{"# Mia, on the server": "server", "# Mia, in the repository": "mia",
	"# Dev, in a new clone": "dev"}

// types does what a line of the page says.
func (w *team) types(folder, line string) string {
	w.Helper()
	command, _, _ := strings.Cut(line, "  #")
	command = strings.ReplaceAll(strings.TrimSpace(command), "https://l10n.example.com", w.url)
	if strings.HasPrefix(command, "locsync ") {
		w.ran++
	}
	env := append(os.Environ(), "HOME="+w.dir, "GIT_CONFIG_GLOBAL="+filepath.Join(w.dir, ".gitconfig"),
		"LOCSYNC_BUDGET_DIR="+filepath.Join(w.dir, "budget"), "CI=", "LOCSYNC_API_KEY=")
	if w.key != "" && folder == "mia" {
		env = append(env, "LOCSYNC_API_KEY="+w.key)
	}
	cmd := exec.Command("sh", "-c", command)
	switch {
	case command == "export LOCSYNC_API_KEY=…":
		key, err := os.ReadFile(filepath.Join(w.dir, "server", "l10n", "api-keys"))
		if err != nil {
			w.Fatal(err)
		}
		w.key = strings.TrimSpace(string(key))
		return ""
	case strings.HasPrefix(command, "locsync service --data"):
		args := append(strings.Fields(command)[1:], "--rate-limit", "0", "--listen", fmt.Sprint("127.0.0.1:", w.port))
		cmd = exec.Command("locsync", args...)
		cmd.Stdout, cmd.Stderr = &w.service, &w.service
	}
	cmd.Dir, cmd.Env = filepath.Join(w.dir, folder), env
	if cmd.Stdout != nil {
		if err := cmd.Start(); err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // by that signal
		})
		return ""
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v\n%s\n%s", command, err, out, &w.service)
	}
	return string(out)
}

// invited is the link that a text has.
var invited = regexp.MustCompile(`http://\S+/translate/invitation\?word=\w+`)

// What the page about setting up for a team says leads five people to the first reviewed translation, by ten commands.
func TestTeam(t *testing.T) {
	gittest.Long(t)
	gittest.Need(t)
	for _, program := range []string{"sh", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	port, err := unusedPort()
	if err != nil {
		t.Fatal(err)
	}
	w := &team{T: t, dir: t.TempDir(), port: port, url: fmt.Sprint("http://127.0.0.1:", port)}
	for name, text := range map[string]string{".gitconfig": "[user]\n\tname = Mia\n\temail = mia@localhost\n",
		"server/x": "", "mia/locales/en.json": `{"save": "Save", "open": "Open"}`} {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"git init -q -b main", "git add -A", "git commit -q -m start",
		"git init -q --bare -b main ../origin.git", "git remote add origin ../origin.git", "git push -q -u origin main"} {
		w.types("mia", line)
	}
	said := make(map[string]string)
	page := filepath.Join("docs", "team.md")
	for n, b := range blocksOf(t, page) {
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(b.text, "\\\n", "")), "\n")
		folder, known := folders[lines[0]]
		if !known {
			t.Fatalf("%s: no person is at %q", page, lines[0])
		}
		if folder == "dev" {
			w.types(".", "git clone -q origin.git dev")
		}
		if n == 3 { // what the people do meanwhile
			w.translate()
		}
		for _, line := range lines[1:] {
			said[line] = w.types(folder, line)
			if link := invited.FindString(said[line]); link != "" {
				w.links = append(w.links, link)
			}
		}
		if n == 0 {
			w.isUp()
		}
	}
	if w.ran != 10 {
		t.Errorf("%d commands of locsync: %v", w.ran, slices.Collect(maps.Keys(said)))
	}
	for line, want := range map[string]string{"git log -1 origin/l10n": "Co-authored-by: Anna <anna@localhost>",
		"locsync status": `"save" (de): Anna asks "As in a shop?"`, "locsync check": "0 problems"} {
		if !strings.Contains(said[line], want) {
			t.Errorf("%s has no %q:\n%s", line, want, said[line])
		}
	}
	if text := w.types("mia", "git show origin/l10n:locales/de.json"); !strings.Contains(text, `"save": "Speichern"`) {
		t.Errorf("the translation is not on the branch:\n%s", text)
	}
}

// isUp waits for the service, whose first link is Mia's.
func (w *team) isUp() {
	w.Helper()
	for end := time.Now().Add(guard); !invited.MatchString(w.service.String()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("it is not up:\n%s", &w.service)
		}
	}
	w.links = []string{invited.FindString(w.service.String())}
}

// translate has Anna translate and ask, and Carla approve.
func (w *team) translate() {
	w.Helper()
	id := regexp.MustCompile(`(?m)^id = "(.*)"`)
	text, err := os.ReadFile(filepath.Join(w.dir, "mia", "locsync.toml"))
	if err != nil {
		w.Fatal(err)
	}
	project := "project=" + id.FindStringSubmatch(string(text))[1]
	for _, person := range []struct {
		name  string
		forms [][]string
	}{
		{"Mia", nil},
		{"Anna", [][]string{{"key?" + project + "&language=de&q=save", "key", "text-=Speichern", "state=draft"},
			{"key?" + project + "&language=de&show=all&q=save", "comment", "comment=As in a shop?", "question=1"}}},
		{"Bruno", [][]string{{"key?" + project + "&language=fr&q=open", "key", "text-=Ouvrir", "state=draft"}}},
		{"Carla", [][]string{{"approve?" + project + "&language=de&show=draft", "approve"}}},
	} {
		b, err := newBrowser()
		if err != nil {
			w.Fatal(err)
		}
		link := w.links[0]
		w.links = w.links[1:]
		forms := append([][]string{{link, "invitation", "name=" + person.name, "password=long enough"}}, person.forms...)
		for _, form := range forms {
			if err := b.submit(form[0], form[1], form[2:]...); err != nil {
				w.Fatalf("%s: %v", person.name, err)
			}
		}
	}
}
