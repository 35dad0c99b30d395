package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// A storm is somebody at work: files saved in all the ways that editors have, moved, deleted, and git commands of every kind in between, while
// the daemon's loop and its watcher run. There is no rescan to help.
//
//   - What the branch filter forbids never reaches the service: texts of the branch "foreign" begin with that word, and nobody merges it.
//   - Nor does a merge's half-done work: no conflict marker does.
//   - At rest nothing is missed: the service has every text as the files say, and the status has nothing pending.
//   - And nothing is made up: the keys that count as removed are those that the files do not have any more.
type storm struct {
	*world
	t      *testing.T
	random *rand.Rand
	n      int
	log    []string
}

const stormSettings = `
source_language = "en"
target_languages = ["de"]
[project.push]
branches = ["main", "topic"]
guard = 1
translations = false
[project.pull]
enabled = false
[[project.files]]
source = "locales/**/en/*.json"
output = "locales/{DIR}/{LANGUAGE}/{NAME}.json"
[daemon]
debounce = "30ms"
max_delay = "500ms"
rescan = "24h"
`

// newStorm makes a repository, and a storm in its working tree or in one that is linked to it.
func newStorm(t *testing.T, seed uint64, linked bool) *storm {
	s := &storm{t: t, random: rand.New(rand.NewPCG(seed, 7))}
	files := map[string]string{"README": "a repository\n", ".gitignore": "ignored/\n"}
	for _, path := range []string{"locales/a/en/one.json", "locales/a/en/two.json", "locales/b/en/three.json"} {
		files[path] = stormFile(map[string]string{keyIn(path, 0): "first", keyIn(path, 1): "first too"})
	}
	s.world = newWorld(t, stormSettings, files)
	s.git("config", "user.name", "a person")
	s.git("config", "user.email", "person@localhost")
	s.git("config", "advice.detachedHead", "false")
	s.git("branch", "topic")
	s.git("checkout", "-q", "-b", "foreign")
	for path := range files {
		if strings.HasSuffix(path, ".json") {
			s.write(path, stormFile(map[string]string{keyIn(path, 0): "foreign first", keyIn(path, 7): "foreign key"}))
		}
	}
	s.commit()
	s.git("checkout", "-q", "main")
	if linked {
		s.git("checkout", "-q", "--detach")
		tree := filepath.Join(t.TempDir(), "linked")
		s.git("worktree", "add", "-q", tree, "main")
		s.dir = tree
		s.configure(stormSettings)
	}
	return s
}

// keyIn is a key that only one place can have, so that no two files ever clash and no key looks renamed.
func keyIn(path string, i int) string {
	return strings.NewReplacer("locales/", "", "/en/", ".", "/", ".", ".json", "").Replace(path) + fmt.Sprint(".", i)
}

func stormFile(texts map[string]string) string {
	body, _ := json.MarshalIndent(texts, "", "  ")
	return string(body) + "\n"
}

func (s *storm) pick(n int) int { return s.random.IntN(n) }

// text is a new text, marked with the branch that it is written on.
func (s *storm) text() string {
	s.n++
	branch, _ := gittest.TryGit(s.t, s.dir, "branch", "--show-current")
	if branch == "" || branch == "foreign" {
		branch = "foreign" // also on no branch at all: the filter covers none then
	}
	return fmt.Sprintf("%s text %d", branch, s.n)
}

// sources are the source files that are there.
func (s *storm) sources() []string {
	var found []string
	_ = filepath.WalkDir(filepath.Join(s.dir, "locales"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(filepath.Dir(path)) == "en" && strings.HasSuffix(path, ".json") {
			rel, _ := filepath.Rel(s.dir, path)
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(found)
	return found
}

// texts are the texts of a source file; nil when it cannot be read.
func (s *storm) texts(path string) map[string]string {
	body, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)))
	texts := map[string]string{}
	if err != nil || json.Unmarshal(body, &texts) != nil {
		return nil
	}
	return texts
}

// edit changes a file a little and saves it as some editor does.
func (s *storm) edit() {
	files := s.sources()
	if len(files) == 0 || s.pick(5) == 0 {
		files = []string{fmt.Sprintf("locales/%c/en/%s.json", 'a'+rune(s.pick(4)), []string{"one", "two", "three", "four"}[s.pick(4)])}
	}
	path := files[s.pick(len(files))]
	texts := s.texts(path)
	if texts == nil {
		texts = map[string]string{}
	}
	for range 1 + s.pick(3) {
		texts[keyIn(path, s.pick(6))] = s.text()
	}
	if len(texts) > 2 && s.pick(3) == 0 {
		delete(texts, slices.Sorted(maps.Keys(texts))[s.pick(len(texts))])
	}
	s.save(path, stormFile(texts))
}

func (s *storm) save(path, content string) {
	full := filepath.Join(s.dir, filepath.FromSlash(path))
	dir := filepath.Dir(full)
	_ = os.MkdirAll(dir, 0o755)
	write := func(name, content string) { _ = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644) }
	move := func(from, to string) { _ = os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)) }
	name := filepath.Base(full)
	switch s.pick(5) {
	case 0:
		write(name, content)
	case 1:
		write(".tmp."+name+".new", content)
		move(".tmp."+name+".new", name)
	case 2: // vim
		write("4913", "")
		_ = os.Remove(filepath.Join(dir, "4913"))
		move(name, name+"~")
		write(name, content)
		_ = os.Remove(filepath.Join(dir, name+"~"))
	case 3: // JetBrains
		write(name+"___jb_tmp___", content)
		move(name, name+"___jb_old___")
		move(name+"___jb_tmp___", name)
		_ = os.Remove(filepath.Join(dir, name+"___jb_old___"))
	case 4: // a slow one
		write(name, content[:len(content)/2])
		time.Sleep(time.Duration(s.pick(40)) * time.Millisecond)
		write(name, content)
	}
}

// try runs a git command that may fail, like in real life.
func (s *storm) try(args ...string) error {
	s.log = append(s.log, "git "+strings.Join(args, " "))
	_, err := gittest.TryGit(s.t, s.dir, args...)
	return err
}

// step does one thing.
func (s *storm) step() {
	switch s.pick(22) {
	case 0, 1, 2, 3, 4, 5:
		s.log = append(s.log, "edit")
		s.edit()
	case 6:
		if files := s.sources(); len(files) > 1 {
			path := files[s.pick(len(files))]
			s.log = append(s.log, "delete "+path)
			_ = os.Remove(filepath.Join(s.dir, filepath.FromSlash(path)))
		}
	case 7:
		s.log = append(s.log, "swap folders")
		a, b := filepath.Join(s.dir, "locales", "a"), filepath.Join(s.dir, "away")
		_ = os.Rename(a, b)
		time.Sleep(time.Duration(s.pick(100)) * time.Millisecond)
		_ = os.Rename(b, a)
	case 8, 9:
		_ = s.try("add", "-A")
		_ = s.try("commit", "-q", "-m", "work")
	case 10, 11:
		_ = s.try("checkout", "-q", "-f", []string{"main", "topic"}[s.pick(2)])
	case 12, 13:
		if s.try("checkout", "-q", "-f", "foreign") == nil {
			s.edit()
			time.Sleep(time.Duration(s.pick(150)) * time.Millisecond)
			if s.pick(2) == 0 {
				_ = s.try("commit", "-q", "-am", "foreign work")
			}
			_ = s.try("clean", "-fdq") // what git does not know would lie on the next branch
			_ = s.try("checkout", "-q", "-f", "main")
		}
	case 14:
		_ = s.try("stash", "-q", "-u")
		time.Sleep(time.Duration(s.pick(100)) * time.Millisecond)
		_ = s.try("stash", "pop", "-q")
	case 15:
		_ = s.try("reset", "-q", "--hard", []string{"HEAD", "HEAD~1"}[s.pick(2)])
	case 16:
		_ = s.try("clean", "-fdq")
	case 17:
		if s.try("merge", "-q", "--no-edit", []string{"main", "topic"}[s.pick(2)]) != nil {
			time.Sleep(time.Duration(s.pick(200)) * time.Millisecond)
			_ = s.try("merge", "--abort")
		}
	case 18:
		if s.try("rebase", "-q", "--exec", "sleep 0.03", []string{"main", "topic"}[s.pick(2)]) != nil {
			time.Sleep(time.Duration(s.pick(200)) * time.Millisecond)
			_ = s.try("rebase", "--abort")
		}
	case 19:
		_ = s.try("checkout", "-q", "-f", "--detach", []string{"HEAD~1", "foreign"}[s.pick(2)])
		time.Sleep(time.Duration(s.pick(100)) * time.Millisecond)
		_ = s.try("checkout", "-q", "-f", "main")
	case 20:
		if s.try("bisect", "start", "HEAD", "HEAD~1") == nil {
			time.Sleep(time.Duration(s.pick(100)) * time.Millisecond)
		}
		_ = s.try("bisect", "reset")
	case 21: // a storm of checkouts
		for range 4 {
			_ = s.try("checkout", "-q", "-f", "foreign")
			_ = s.try("checkout", "-q", "-f", "main")
		}
	}
	time.Sleep(time.Duration(s.pick(120)) * time.Millisecond)
}

// rest ends everything that is under way and brings the tree to a state that parses.
func (s *storm) rest() {
	for _, args := range [][]string{{"merge", "--abort"}, {"rebase", "--abort"}, {"bisect", "reset"}} {
		_ = s.try(args...)
	}
	_ = s.try("checkout", "-q", "-f", "main")
	_ = s.try("clean", "-fdq")
	// A file that is gone is a longer story (two looks): at rest those that the service knows are all there.
	for _, path := range []string{"locales/a/en/one.json", "locales/a/en/two.json", "locales/b/en/three.json"} {
		if s.texts(path) == nil {
			s.write(path, stormFile(map[string]string{keyIn(path, 0): s.text()}))
		}
	}
	s.edit()
}

// settle waits until the daemon has nothing to do any more.
func (s *storm) settled() report.ProjectStatus {
	var last report.ProjectStatus
	calm := 0
	for deadline := time.Now().Add(40 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		last = s.Status(s.t.Context()).Projects[0]
		if last.Pending > 0 || s.Doing("") != (report.Doing{}) {
			calm = 0
		} else if calm++; calm >= 8 {
			break
		}
	}
	return last
}

func (s *storm) verify(sent map[string]bool) map[string]bool {
	s.t.Helper()
	status := s.settled()
	living := map[string]bool{}
	for _, path := range s.sources() {
		texts := s.texts(path)
		if texts == nil {
			s.t.Errorf("%s cannot be read at rest", path)
		}
		keys := slices.Sorted(maps.Keys(texts))
		for _, key := range keys {
			living[key] = true
		}
		have := s.at("main", "en")
		for _, key := range keys {
			if have[key] != texts[key] {
				s.t.Errorf("the service has %q for %s of %s, the file %q", have[key], key, path, texts[key])
			}
		}
	}
	if status.Pending != 0 {
		s.t.Errorf("%d values are pending at rest: %+v", status.Pending, status.Problems)
	}
	for _, r := range s.wire.take("import") {
		for name, body := range r.files {
			if strings.Contains(body, "foreign") || strings.Contains(body, "<<<") {
				s.t.Errorf("%s was pushed: %s", name, body)
			}
			texts := map[string]string{}
			_ = json.Unmarshal([]byte(body), &texts)
			for key := range texts {
				sent[key] = true
			}
		}
	}
	gone := 0
	for key := range sent {
		if !living[key] {
			gone++
		}
	}
	if status.Removed > gone {
		s.t.Errorf("%d keys count as removed, only %d are gone", status.Removed, gone)
	}
	if s.t.Failed() {
		s.t.Logf("after:\n%s", strings.Join(s.log[max(0, len(s.log)-60):], "\n"))
	}
	return sent
}

// run is some storms, each followed by a rest.
func (s *storm) run(rests, steps int) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	defer func() { cancel(); <-done }()
	sent := map[string]bool{}
	s.settled()
	for range rests {
		for range steps {
			s.step()
		}
		s.rest()
		if sent = s.verify(sent); s.t.Failed() {
			return
		}
	}
	if w := s.projects[0].view.watcher.Load(); w != nil {
		stats := w.Stats()
		if stats.Mode != "event" {
			s.t.Errorf("%+v", stats)
		}
		s.t.Logf("%d steps, %d keys sent, %+v", rests*steps, len(sent), stats)
	}
}

func TestStormOfFilesAndGit(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, linked := range map[string]bool{"the working tree": false, "a linked one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newStorm(t, 1, linked).run(1, 30)
		})
	}
}

// A program that asks git for the status while a push runs writes the index again, and changes nothing: the push waits for a quiet moment and goes on.
func TestPushWhileTheStatusIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A"}`, "locales/de/app.json": `{"a": "Ä"}`})
	w.pushes(push.Options{Translations: true})
	index := filepath.Join(w.dir, ".git", "index")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 15 {
			body, err := os.ReadFile(index)
			if err == nil {
				err = os.WriteFile(index+".new", body, 0o644)
			}
			if err == nil {
				err = os.Rename(index+".new", index)
			}
			if err != nil {
				t.Error(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	defer func() { <-done }() // also where the push fails: nothing is written into a folder that is gone
	w.write("locales/en/app.json", `{"a": "A", "b": "B"}`, "locales/de/app.json", `{"a": "Ä neu"}`)
	w.sends("locales/de/app.json (de): a", "locales/en/app.json (en): b")
}
