//go:build soak

package engine

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// crashRounds is how often every cut of TestKilledBetweenEffectAndRecord is made.
var crashRounds = 50

var (
	soakFor  = time.Minute
	soakSeed uint64
	soakSide = 4
	soakKeep = "/var/tmp"
)

func init() {
	flag.IntVar(&crashRounds, "soak.rounds", crashRounds, "how often every cut of a crash test is made; a sample at 0")
	flag.DurationVar(&soakFor, "soak.for", soakFor, "how long the soak goes on")
	flag.IntVar(&soakSide, "soak.side", soakSide, "how many chapters go on side by side")
	flag.StringVar(&soakKeep, "soak.keep", soakKeep, "the folder in which chapters that failed are kept")
	flag.Uint64Var(&soakSeed, "soak.seed", 0, "the first chapter's seed; 0 takes one from the clock")
}

// TestSoak lives through random chapters until its time is over: people edit source texts and translations in the working trees of three clones, each with
// a locsync of its own, on the branch and in a clone without one, translators work at the service, passes and daemons are killed, states are lost or
// replaced by an old copy, the network, the service and the remote fail. At the end of each chapter faults stop, what waits for a decision is decided,
// everything runs to rest, and then
//
//   - the service, the branch at the remote and the working trees have the same texts,
//   - every text that anybody wrote is there, or was replaced by somebody who saw it, or is named as the loser of a conflict, in a report or in the
//     state's list of conflicts,
//   - one more sync sends nothing and commits nothing, and git finds both repositories sound.
//
// A chapter's seed is printed; -soak.seed with it and a short -soak.for tells the same chapter again, as far as the kills' timing allows.
func TestSoak(t *testing.T) {
	seed := soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano() / 1000)
	}
	end := time.Now().Add(soakFor)
	var mu sync.Mutex
	var all tally
	next := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if !time.Now().Before(end) || all.failed > 20 {
			return 0, false
		}
		all.chapters++
		seed++
		return seed - 1, true
	}
	t.Run("chapters", func(t *testing.T) { // side by side, for they wait most of the time
		for i := range soakSide {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for seed, more := next(); more; seed, more = next() {
					var c *chapter
					ok := t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
						c = newChapter(t, seed)
						defer c.keep(t)
						c.live()
						c.rest()
						c.verify()
					})
					mu.Lock()
					if !ok {
						all.failed++
					}
					all.add(c.tally)
					t.Logf("so far: %+v", all)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%+v", all)
}

// keep keeps a chapter that failed.
func (c *chapter) keep(t *testing.T) {
	if !t.Failed() {
		return
	}
	folder := filepath.Join(soakKeep, fmt.Sprintf("locsync-soak-%d", c.seed))
	_ = os.RemoveAll(folder)
	c.stopDaemon()
	c.close()
	_ = os.CopyFS(folder, os.DirFS(c.root))
	t.Logf("kept in %s\n%s", folder, strings.Join(c.story, "\n"))
}

// tally counts what happened.
type tally struct {
	chapters, failed                        int
	sourceEdits, fileEdits, branchEdits     int
	translatorEdits, drafts                 int
	commits, merges, switches, renames      int
	passes, kills, requestFaults, gitFaults int
	statesLost, statesCopied, decided       int
	requests, imports, ourCommits           int
	written, present, replaced, raced, lost int
	reported                                int
}

func (a *tally) add(b tally) {
	a.sourceEdits += b.sourceEdits
	a.fileEdits += b.fileEdits
	a.branchEdits += b.branchEdits
	a.translatorEdits += b.translatorEdits
	a.drafts += b.drafts
	a.commits += b.commits
	a.merges += b.merges
	a.switches += b.switches
	a.renames += b.renames
	a.passes += b.passes
	a.kills += b.kills
	a.requestFaults += b.requestFaults
	a.gitFaults += b.gitFaults
	a.statesLost += b.statesLost
	a.statesCopied += b.statesCopied
	a.decided += b.decided
	a.requests += b.requests
	a.imports += b.imports
	a.ourCommits += b.ourCommits
	a.written += b.written
	a.present += b.present
	a.replaced += b.replaced
	a.raced += b.raced
	a.lost += b.lost
	a.reported += b.reported
}

const soakProject = `
source_language = "en"
target_languages = ["de", "sv"]
[project.push]
completion_state = "final"
[project.pull]
schedule = "@every 2s"
[[project.files]]
source = "app/en.json"
output = "app/{LANGUAGE}.json"
[[project.files]]
source = "conf/en.yaml"
format = "structured-yaml"
output = "conf/{LANGUAGE}.yaml"
collection = "conf"
[[project.files]]
source = "res/values/strings.xml"
output = "res/values-{LOCALE:ANDROID}/strings.xml"
collection = "android"
[[project.files]]
source = "ios/en.lproj/Main.strings"
output = "ios/{LOCALE:IOS}.lproj/Main.strings"
collection = "ios"
`

// cell is one text's place, in all places: a name in a source file, in a language.
type cell struct {
	source, language string
	catalog.Name
}

func (c cell) String() string { return fmt.Sprintf("%s %s %s#%s", c.source, c.language, c.Key, c.Form) }

// text is something that somebody wrote; its value holds its number, so that it can be found wherever it is named.
type text struct {
	cell
	value    string
	who      string
	at       time.Time
	replaced bool   // by somebody who saw it
	by       string // what replaced it
}

// soakClones is how many clones have a locsync.
const soakClones = 3

// chapter is one life of a scene and of its clones; the scene that it embeds is the clone where something happens now.
type chapter struct {
	*scene
	clones  []*scene // each with a repository, a state and reports of its own; the first one has the service and the remote, too
	seed    uint64
	rnd     *rand.Rand
	bundles []*bundle.Bundle
	cfg     *config.Project
	rival   string
	story   []string
	tally   tally

	written map[string]*text // by value
	n       int
	dead    map[string]bool // source path and key of keys that were removed or renamed

	daemon     *exec.Cmd
	daemonIn   *scene
	daemonSays *bytes.Buffer

	gate   sync.RWMutex // held by a victim's import, and by a translator
	mu     sync.Mutex
	faults int
	look   map[string]time.Time // by victim and collection: when it last asked for the service's present texts
	sent   []sentText
	jobs   []service.JobID
}

// sentText is a victim's import: what it held, when it came, and when its present texts were asked for.
type sentText struct {
	body     string
	look, at time.Time
}

// cloned is a clone beside the scene: a repository, a state and reports of its own, the same remote and service.
func (s *scene) cloned(name string) *scene {
	s.tb.Helper()
	c := *s
	c.root = s.path(name)
	s.must(os.Mkdir(c.root, 0o777))
	s.must(os.Symlink(filepath.Join("..", "origin.git"), c.path("origin.git")))
	gittest.Git(s.tb, c.root, "clone", "-q", "--template=", "origin.git", "repo")
	text, err := os.ReadFile(s.path("locsync.toml"))
	s.must(err)
	s.must(os.WriteFile(c.path("locsync.toml"), text, 0o600))
	return &c
}

func newChapter(tb testing.TB, seed uint64) *chapter {
	c := &chapter{seed: seed, rnd: rand.New(rand.NewPCG(seed, 1)), written: make(map[string]*text), dead: make(map[string]bool), look: make(map[string]time.Time)}
	first := map[string]string{"code.go": "package code\n"}
	var json, yaml, xml, ios []string
	for i := range 6 {
		json = append(json, fmt.Sprintf("  \"k%d\": %q", i, c.first("app/en.json", fmt.Sprintf("k%d", i), "")))
		yaml = append(yaml, fmt.Sprintf("group%d:\n  title: %s\n  # what it says\n  body: %q\n", i, c.first("conf/en.yaml", fmt.Sprintf("group%d.title", i), ""), c.first("conf/en.yaml", fmt.Sprintf("group%d.body", i), "")))
		xml = append(xml, fmt.Sprintf("    <string name=\"s%d\">%s</string>\n", i, c.first("res/values/strings.xml", fmt.Sprintf("s%d", i), "")))
		ios = append(ios, fmt.Sprintf("/* number %d */\n\"i%d\" = %q;\n", i, i, c.first("ios/en.lproj/Main.strings", fmt.Sprintf("i%d", i), "")))
	}
	for i := range 2 {
		xml = append(xml, fmt.Sprintf("    <plurals name=\"p%d\">\n        <item quantity=\"one\">%s</item>\n        <item quantity=\"other\">%s</item>\n    </plurals>\n", i,
			c.first("res/values/strings.xml", fmt.Sprintf("p%d", i), "one"), c.first("res/values/strings.xml", fmt.Sprintf("p%d", i), "other")))
	}
	first["app/en.json"] = "{\n" + strings.Join(json, ",\n") + "\n}\n"
	first["conf/en.yaml"] = strings.Join(yaml, "")
	first["res/values/strings.xml"] = "<resources>\n" + strings.Join(xml, "") + "</resources>\n"
	first["ios/en.lproj/Main.strings"] = strings.Join(ios, "\n")
	c.scene = newScene(tb, soakProject, first)
	c.clones = []*scene{c.scene}
	for i := range soakClones - 1 {
		c.clones = append(c.clones, c.cloned(fmt.Sprint("clone", i+2)))
	}
	cfg, err := config.Load(c.path("locsync.toml"))
	c.must(err)
	c.cfg = &cfg.Projects[0]
	c.bundles, _, err = bundle.Find(os.DirFS(c.repo()), c.cfg)
	c.must(err)
	c.rival = gittest.Clone(tb, c.path("origin.git"), "-q")
	c.relay.set(c.fate)
	tb.Cleanup(c.stopDaemon)
	c.origin("config", "receive.denyDeletes", "true")
	return c
}

// in goes to a clone.
func (c *chapter) in(s *scene) {
	if c.scene != s {
		c.scene = s
		c.tell("in %s", filepath.Base(s.root))
	}
}

// first is a text of the beginning.
func (c *chapter) first(source, key, form string) string {
	return c.writes(cell{source, "en", catalog.Name{Key: key, Form: form}}, "the beginning").value
}

// writes makes a new text of somebody's.
func (c *chapter) writes(at cell, who string) *text {
	c.n++
	t := &text{cell: at, value: fmt.Sprintf("w%05d of %s", c.n, who), who: who, at: time.Now()}
	c.written[t.value] = t
	return t
}

// over says that somebody wrote where this text stood, and saw it.
func (c *chapter) over(value, by string) {
	if t := c.written[value]; t != nil && value != by {
		t.replaced, t.by = true, by
	}
}

func (c *chapter) tell(format string, args ...any) {
	c.story = append(c.story, fmt.Sprintf("%s "+format, append([]any{time.Now().Format("05.000")}, args...)...))
}

func (c *chapter) pick(n int) int { return c.rnd.IntN(n) }

func one[T any](c *chapter, all []T) T { return all[c.pick(len(all))] }

// live goes through a chapter's events.
func (c *chapter) live() {
	c.runs("sync")
	for _, l := range []string{"de", "sv"} {
		for _, b := range c.bundles {
			c.translator(b, l, 4, service.Final)
		}
	}
	c.runs("sync")
	c.mergeBranch()
	daemons := c.pick(2) == 0
	type event struct {
		weight int
		what   func()
	}
	events := []event{
		{6, c.editSource}, {2, c.addKey}, {1, c.removeKey}, {2, c.renameKey}, {8, c.editTranslation}, {5, c.commit},
		{4, c.mergeBranch}, {5, c.rivalOnBranch}, {2, c.rivalOnMain}, {2, c.switchBranch},
		{8, func() { c.translator(one(c, c.bundles), one(c, []string{"de", "sv"}), 1+c.pick(3), service.Final) }},
		{2, func() { c.translator(one(c, c.bundles), one(c, []string{"de", "sv"}), 1, service.Draft) }},
		{3, c.moreFaults}, {2, c.gitFault}, {2, c.loseState}, {6, c.copyState},
	}
	if daemons {
		events = append(events, event{4, c.killDaemon}, event{10, func() { time.Sleep(time.Duration(c.pick(700)) * time.Millisecond) }}, event{6, c.pass})
		c.startDaemon()
	} else {
		events = append(events, event{14, c.pass})
	}
	total := 0
	for _, e := range events {
		total += e.weight
	}
	for range 40 + c.pick(60) {
		c.in(one(c, c.clones))
		at := c.pick(total)
		for _, e := range events {
			if at -= e.weight; at < 0 {
				e.what()
				break
			}
		}
	}
}

// read is a file's texts in a folder.
func (c *chapter) read(dir string, b *bundle.Bundle, language string) *resource.File {
	c.tb.Helper()
	path := b.Path
	l := c.cfg.Language(language)
	if language != "en" {
		path = b.Target(l)
	}
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c.must(err)
	f, err := b.Parse(body, l)
	if err != nil {
		c.tb.Fatalf("%s in %s: %v\n%s", path, dir, err, body)
	}
	return f
}

func valuesOf(f *resource.File) map[catalog.Name]string {
	values := make(map[catalog.Name]string)
	if f != nil {
		for _, u := range bundle.Texts(f) {
			values[u.Name] = u.Text
		}
	}
	return values
}

// edit writes texts into a file of a folder; "" removes.
func (c *chapter) edit(dir string, b *bundle.Bundle, language string, edits []resource.Edit) {
	c.tb.Helper()
	f, source := c.read(dir, b, language), c.read(dir, b, "en")
	if f == nil {
		return
	}
	out, refused := f.Rewrite(edits, source)
	if len(refused) > 0 {
		c.tb.Fatalf("edit %v: %v", edits, refused)
	}
	path := b.Path
	if language != "en" {
		path = b.Target(c.cfg.Language(language))
	}
	full := filepath.Join(dir, filepath.FromSlash(path))
	if c.pick(2) == 0 { // as some editors save
		c.must(os.WriteFile(full, out, 0o666))
		return
	}
	c.must(os.WriteFile(full+".tmp~", out, 0o666))
	c.must(os.Rename(full+".tmp~", full))
}

// change is somebody's change of some texts of one file that are there.
func (c *chapter) change(dir string, b *bundle.Bundle, language, who string, most int) int {
	have := valuesOf(c.read(dir, b, language))
	names := slices.SortedFunc(maps.Keys(have), catalog.Name.Compare)
	if len(names) == 0 {
		return 0
	}
	var edits []resource.Edit
	for range 1 + c.pick(most) {
		n := one(c, names)
		t := c.writes(cell{b.Path, language, n}, who)
		c.over(have[n], t.value)
		have[n] = t.value
		edits = append(edits, resource.Edit{Op: resource.Set, Key: n.Key, Form: n.Form, Text: t.value})
		c.tell("%s writes %s as %q", who, t.cell, t.value)
	}
	c.edit(dir, b, language, edits)
	return len(edits)
}

func (c *chapter) editSource() {
	c.tally.sourceEdits += c.change(c.repo(), one(c, c.bundles), "en", "author", 2)
}

func (c *chapter) editTranslation() {
	c.tally.fileEdits += c.change(c.repo(), one(c, c.bundles), one(c, []string{"de", "sv"}), "person", 2)
}

func (c *chapter) addKey() {
	b := one(c, c.bundles)
	c.n++
	key := fmt.Sprintf("new%d", c.n)
	t := c.writes(cell{b.Path, "en", catalog.Name{Key: key}}, "author")
	c.tell("a new key %s: %q", t.cell, t.value)
	c.edit(c.repo(), b, "en", []resource.Edit{{Op: resource.Set, Key: key, Text: t.value}})
	c.tally.sourceEdits++
}

// singles are the names of a source file that have one text.
func (c *chapter) singles(b *bundle.Bundle) []catalog.Name {
	var names []catalog.Name
	for n := range valuesOf(c.read(c.repo(), b, "en")) {
		if n.Form == "" {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, catalog.Name.Compare)
	return names
}

func (c *chapter) removeKey() {
	b := one(c, c.bundles)
	if names := c.singles(b); len(names) > 3 {
		n := one(c, names)
		c.tell("key %s %s is removed", b.Path, n.Key)
		c.dead[b.Path+" "+n.Key] = true
		c.over(valuesOf(c.read(c.repo(), b, "en"))[n], "its removal") // also where a merge brings the key back with somebody else's text
		c.edit(c.repo(), b, "en", []resource.Edit{{Op: resource.Remove, Key: n.Key}})
	}
}

func (c *chapter) renameKey() {
	b := one(c, c.bundles)
	names := c.singles(b)
	if len(names) == 0 {
		return
	}
	n := one(c, names)
	value := valuesOf(c.read(c.repo(), b, "en"))[n]
	c.n++
	key := fmt.Sprintf("renamed%d", c.n)
	c.tell("key %s %s is renamed to %s", b.Path, n.Key, key)
	c.dead[b.Path+" "+n.Key] = true
	if t := c.written[value]; t != nil {
		t.Name = catalog.Name{Key: key}
	}
	c.edit(c.repo(), b, "en", []resource.Edit{{Op: resource.Remove, Key: n.Key}, {Op: resource.Set, Key: key, Text: value}})
	c.tally.renames++
}

func (c *chapter) commit() {
	c.git("add", "-A")
	if c.git("status", "--porcelain") == "" {
		return
	}
	c.git("commit", "-q", "-m", "by a person")
	c.tally.commits++
	c.tell("commit %s on %s", c.git("rev-parse", "--short", "HEAD"), c.git("rev-parse", "--abbrev-ref", "HEAD"))
	if c.pick(2) == 0 {
		c.pushMain()
	}
}

// fetch is git fetch by a person, who does it again when the daemon has just moved the same reference.
func (c *chapter) fetch() {
	c.tb.Helper()
	for try := 0; ; try++ {
		out, err := gittest.TryGit(c.tb, c.repo(), "fetch", "-q", "origin")
		if err == nil {
			return
		}
		if try == 5 {
			c.tb.Fatalf("git fetch: %v\n%s", err, out)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// pushMain takes in what others published on main and publishes it.
func (c *chapter) pushMain() {
	if c.git("rev-parse", "--abbrev-ref", "HEAD") != "main" {
		return
	}
	c.fetch()
	c.merge("origin/main", false)
	c.git("push", "-q", "origin", "main")
}

// mergeBranch merges the translations into main, sometimes as one squashed commit.
func (c *chapter) mergeBranch() {
	if c.git("rev-parse", "--abbrev-ref", "HEAD") != "main" {
		return
	}
	c.git("add", "-A")
	if c.git("status", "--porcelain") != "" {
		c.git("commit", "-q", "-m", "before a merge")
	}
	c.fetch()
	if _, err := gittest.TryGit(c.tb, c.repo(), "rev-parse", "-q", "--verify", "origin/l10n"); err != nil {
		return
	}
	c.tally.merges++
	c.merge("origin/l10n", c.pick(4) == 0)
	if c.pick(2) == 0 {
		c.pushMain()
	}
}

// merge merges a branch into the one that is checked out. Where git cannot join our files, a person does, text by text, and where both sides changed
// one, sees both and decides.
func (c *chapter) merge(other string, squash bool) {
	args := []string{"merge", "-q", "--no-edit"}
	if squash {
		args = []string{"merge", "-q", "--squash"}
	}
	before := c.git("rev-parse", "HEAD")
	base, err := gittest.TryGit(c.tb, c.repo(), "merge-base", "HEAD", other)
	c.must(err)
	_, err = gittest.TryGit(c.tb, c.repo(), append(args, other)...)
	c.tell("merge %s (%s) squash %v: %v", other, c.git("rev-parse", "--short", other), squash, err)
	if err != nil {
		for path := range strings.SplitSeq(c.git("diff", "--name-only", "--diff-filter=U"), "\n") {
			if path != "" {
				c.resolve(path, base, before, other)
			}
		}
		c.git("add", "-A")
	}
	if squash || err != nil {
		if c.git("status", "--porcelain") != "" || !squash {
			c.git("commit", "-q", "--no-edit", "-m", "merged "+other)
		}
	}
}

func (c *chapter) resolve(path, base, ours, theirs string) {
	var b *bundle.Bundle
	language := ""
	for _, candidate := range c.bundles {
		for _, l := range []string{"en", "de", "sv"} {
			if l == "en" && candidate.Path == path || l != "en" && candidate.Target(c.cfg.Language(l)) == path {
				b, language = candidate, l
			}
		}
	}
	if b == nil {
		c.tb.Fatalf("a conflict in %s", path)
	}
	parse := func(commit string) (*resource.File, map[catalog.Name]string, []byte) {
		body, err := exec.Command("git", "-C", c.repo(), "show", commit+":"+path).Output()
		if err != nil {
			return nil, map[catalog.Name]string{}, nil
		}
		f, err := b.Parse(body, c.cfg.Language(language))
		c.must(err)
		return f, valuesOf(f), body
	}
	_, was, _ := parse(base)
	_, mine, mineBytes := parse(ours)
	f, other, _ := parse(theirs)
	full := filepath.Join(c.repo(), filepath.FromSlash(path))
	if f == nil {
		c.must(os.WriteFile(full, mineBytes, 0o666))
		return
	}
	var edits []resource.Edit
	for _, n := range slices.SortedFunc(maps.Keys(mine), catalog.Name.Compare) {
		if mine[n] == was[n] || mine[n] == other[n] {
			continue
		}
		if other[n] != was[n] && other[n] != "" { // both: a person decides
			if c.pick(2) == 0 {
				c.tell("merging, %q is kept over %q", mine[n], other[n])
				c.over(other[n], mine[n])
			} else {
				c.tell("merging, %q is kept over %q", other[n], mine[n])
				c.over(mine[n], other[n])
				continue
			}
		}
		edits = append(edits, resource.Edit{Op: resource.Set, Key: n.Key, Form: n.Form, Text: mine[n]})
	}
	for _, n := range slices.SortedFunc(maps.Keys(was), catalog.Name.Compare) {
		if _, there := mine[n]; !there {
			c.over(other[n], "its removal, in a merge")
			edits = append(edits, resource.Edit{Op: resource.Remove, Key: n.Key, Form: n.Form})
		}
	}
	out, refused := f.Rewrite(edits, nil)
	if len(refused) > 0 {
		c.tb.Fatalf("%v", refused)
	}
	c.must(os.WriteFile(full, out, 0o666))
}

// rivalOn is somebody with a clone of their own, who publishes at once, and does it again where somebody else was faster.
func (c *chapter) rivalOn(branch, who string, do func() int) int {
	git := func(args ...string) (string, error) { return gittest.TryGit(c.tb, c.rival, args...) }
	for range 5 {
		_, err := git("fetch", "-q", "origin")
		c.must(err)
		if _, err := git("rev-parse", "-q", "--verify", "origin/"+branch); err != nil {
			return 0
		}
		_, err = git("checkout", "-q", "-f", "-B", branch, "origin/"+branch)
		c.must(err)
		before := maps.Clone(c.written)
		replaced := make(map[*text]text)
		for _, t := range c.written {
			replaced[t] = *t
		}
		n := do()
		if n == 0 {
			return 0
		}
		_, err = git("commit", "-q", "-a", "-m", "by "+who)
		c.must(err)
		if out, err := git("push", "-q", "origin", branch); err == nil {
			return n
		} else {
			c.tell("%s was too late: %.100s", who, out)
		}
		for t, was := range replaced {
			*t = was
		}
		c.written = before
	}
	return 0
}

func (c *chapter) rivalOnBranch() {
	c.tally.branchEdits += c.rivalOn("l10n", "reviewer", func() int {
		return c.change(c.rival, one(c, c.bundles), one(c, []string{"de", "sv"}), "reviewer", 2)
	})
}

func (c *chapter) rivalOnMain() {
	c.tally.fileEdits += c.rivalOn("main", "colleague", func() int {
		return c.change(c.rival, one(c, c.bundles), one(c, []string{"en", "de", "sv"}), "colleague", 2)
	})
}

// switchBranch works on a topic for a moment and merges it.
func (c *chapter) switchBranch() {
	if c.git("rev-parse", "--abbrev-ref", "HEAD") != "main" {
		c.commit()
		topic := c.git("rev-parse", "--abbrev-ref", "HEAD")
		c.git("checkout", "-q", "main")
		c.merge(topic, false)
		return
	}
	c.git("add", "-A")
	if c.git("status", "--porcelain") != "" {
		c.git("commit", "-q", "-m", "before a switch")
	}
	c.tally.switches++
	from := "main"
	if c.pick(2) == 0 && c.git("rev-list", "--count", "main") != "1" {
		from = "main~1"
	}
	c.tell("a topic from %s (%s)", from, c.git("rev-parse", "--short", from))
	c.git("checkout", "-q", "-b", fmt.Sprintf("topic%d", len(c.story)), from)
	if c.pick(2) == 0 {
		c.editTranslation()
	} else {
		c.editSource()
	}
}

// translator changes some keys of a file at the service, whole keys at a time, after looking at them.
func (c *chapter) translator(b *bundle.Bundle, language string, most int, completion service.CompletionState) {
	c.gate.Lock()
	defer c.gate.Unlock()
	c.mu.Lock()
	jobs := c.jobs
	c.jobs = nil
	c.mu.Unlock()
	for _, id := range jobs {
		_, err := c.client.Strings().WaitImport(c.tb.Context(), id)
		var failed *service.ImportFailed
		if err != nil && !errors.As(err, &failed) {
			c.tb.Fatal(err)
		}
	}
	source := c.there(b, "en", service.Draft)
	have := c.there(b, language, service.Draft)
	keys := slices.Sorted(maps.Keys(keysIn(source)))
	if len(keys) == 0 {
		return
	}
	var units catalog.Catalog
	done := make(map[string]bool)
	for range most {
		key := one(c, keys)
		if done[key] || c.dead[b.Path+" "+key] {
			continue
		}
		done[key] = true
		for _, n := range slices.SortedFunc(maps.Keys(source), catalog.Name.Compare) {
			if n.Key == key {
				t := c.writes(cell{b.Path, language, n}, "translator")
				c.over(have[n], t.value)
				units = append(units, catalog.Unit{Name: n, Text: t.value})
				c.tell("translator writes %s as %q (%s) over %q", t.cell, t.value, completion, have[n])
			}
		}
	}
	if len(units) == 0 {
		return
	}
	c.put(b, language, units, completion)
	if completion == service.Final {
		c.tally.translatorEdits += len(units)
	} else {
		c.tally.drafts += len(units)
	}
}

func keysIn(values map[catalog.Name]string) map[string]bool {
	keys := make(map[string]bool)
	for n := range values {
		keys[n.Key] = true
	}
	return keys
}

// put imports texts for people.
func (c *chapter) put(b *bundle.Bundle, language string, units catalog.Catalog, completion service.CompletionState) {
	c.tb.Helper()
	up, err := bundle.ComposeUnits(b, b.Path, units)
	c.must(err)
	id, err := c.client.Strings().StartImport(c.tb.Context(), service.ImportRequest{Project: c.id, Collection: b.Collection, Language: language, Format: service.Format(b.Format.Name),
		PathSeparator: b.Separator, CompletionState: completion, Conflicts: service.Overwrite, Files: []service.Upload{{Name: up.Name, Body: up.Body}}})
	c.must(err)
	res, err := c.client.Strings().WaitImport(c.tb.Context(), id)
	c.must(err)
	if len(res.Failed) > 0 {
		c.tb.Fatalf("%+v", res)
	}
}

// there is what the service has.
func (c *chapter) there(b *bundle.Bundle, language string, completion service.CompletionState) map[catalog.Name]string {
	c.tb.Helper()
	id, err := c.client.Strings().StartExport(c.tb.Context(), service.ExportRequest{Project: c.id, Collection: b.Collection, Languages: []string{language},
		Format: service.Format(b.Format.Name), PathSeparator: b.Separator, CompletionState: completion, OutputTemplate: "{LANGUAGE}", Zip: true})
	if errors.Is(err, service.ErrRefused) {
		return nil // nothing was ever imported into the collection
	}
	c.must(err)
	archive, err := c.client.Strings().Download(c.tb.Context(), id, c.tb.TempDir())
	c.must(err)
	defer archive.Close()
	values := make(map[catalog.Name]string)
	for _, e := range archive.Entries {
		texts, _, err := b.ReadExport(e.Open, c.cfg.Language(language), new(bundle.Kept))
		c.must(err)
		for _, u := range texts {
			values[u.Name] = u.Text
		}
	}
	return values
}

// fate decides what goes wrong with a victim's request, and keeps the books.
func (c *chapter) fate(_ int, r *http.Request, body []byte) fate {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.requests++
	if strings.HasSuffix(r.URL.Path, "/export") { // before a push sends translations, it looks at those of the collection
		c.look[r.UserAgent()+" "+r.URL.Query().Get("collections")] = time.Now()
	}
	f := fate{}
	if c.faults > 0 && rand.IntN(3) == 0 {
		c.faults--
		c.tally.requestFaults++
		switch rand.IntN(6) {
		case 0:
			f.refuse = 500
		case 1:
			f.refuse = 503
		case 2:
			f.refuse, f.header = 429, "1"
		case 3:
			f.before = func() {}
		case 4:
			f.lost = true
		case 5:
			f.spoil = func(_ http.Header, b []byte) []byte { return b[:len(b)/2] }
		}
	}
	if isImport(r) {
		c.tally.imports++
		c.sent = append(c.sent, sentText{string(body), c.look[r.UserAgent()+" "+r.URL.Query().Get("collection")], time.Now()})
		if f.before == nil && f.refuse == 0 {
			spoil := f.spoil
			lost := f.lost
			f.lost = false
			f.gate = &c.gate
			n := len(c.sent) - 1
			f.spoil = func(h http.Header, b []byte) []byte {
				c.mu.Lock()
				c.sent[n].at = time.Now() // it may have waited for a translator
				c.mu.Unlock()
				if id := uuidIn.Find(b); id != nil {
					c.mu.Lock()
					c.jobs = append(c.jobs, service.JobID(id))
					c.mu.Unlock()
				}
				switch {
				case lost:
					panic(http.ErrAbortHandler)
				case spoil != nil:
					return spoil(h, b)
				}
				return b
			}
		}
	}
	return f
}

var uuidIn = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}`)

func (c *chapter) moreFaults() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults += 1 + c.pick(4)
	c.tell("%d faults to come", c.faults)
}

// gitFault makes the remote refuse pushes to the branch for a while, or go away for a moment.
func (c *chapter) gitFault() {
	c.tally.gitFaults++
	hook := c.clones[0].path("origin.git/hooks/pre-receive")
	if _, err := os.Stat(hook); err == nil {
		c.must(os.Remove(hook))
		c.tell("the remote takes everything again")
		return
	}
	c.must(os.MkdirAll(filepath.Dir(hook), 0o777))
	c.must(os.WriteFile(hook, []byte("#!/bin/sh\nwhile read old new ref; do case $ref in refs/heads/l10n) git log -1 --format=%an $new | grep -q locsync && echo 'not now' >&2 && exit 1;; esac; done\nexit 0\n"), 0o777))
	c.tell("the remote refuses what locsync pushes")
}

// pass runs a victim, and kills it now and then.
func (c *chapter) pass() {
	what := one(c, []string{"push", "pull", "sync", "sync"})
	if c.scene == c.daemonIn && c.daemon != nil {
		return // the state is the daemon's
	}
	cmd, out := c.start(what)
	c.tally.passes++
	kill := c.pick(3) == 0
	if kill {
		wait := time.Duration(c.pick(400)) * time.Millisecond
		timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	c.spoke(cmd, out)
	if cmd.ProcessState.ExitCode() == -1 {
		c.tally.kills++
	}
	c.tell("%s: %v %.300s", what, err, out)
}

// loseState takes a clone's state away.
func (c *chapter) loseState() {
	c.withoutDaemon(func() {
		c.must(os.RemoveAll(c.path("state")))
		c.tally.statesLost++
		c.tell("the state is lost")
	})
}

// copyState keeps a copy of a clone's state, or puts the last one back.
func (c *chapter) copyState() {
	c.withoutDaemon(func() {
		from, to := c.path("state"), c.path("state.copy")
		if _, err := os.Stat(to); err == nil {
			from, to = to, from
			c.tally.statesCopied++
		}
		c.must(os.RemoveAll(to))
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			return // lost just before
		}
		c.must(os.CopyFS(to, os.DirFS(from)))
		if filepath.Base(from) == "state.copy" {
			c.must(os.RemoveAll(from))
		}
		c.must(filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error { // CopyFS adds permissions
			if err == nil && !d.IsDir() {
				err = os.Chmod(path, 0o600)
			}
			return err
		}))
		c.tell("the state is copied to %s", filepath.Base(to))
	})
}

// withoutDaemon does something while no daemon runs in this clone.
func (c *chapter) withoutDaemon(do func()) {
	if c.daemon == nil || c.scene != c.daemonIn {
		do()
		return
	}
	c.stopDaemon()
	do()
	c.startDaemon()
}

func (c *chapter) startDaemon() {
	c.daemon, c.daemonSays = c.start("daemon")
	c.daemonIn = c.scene
	c.tally.passes++
	c.tell("a daemon starts")
}

func (c *chapter) stopDaemon() {
	if c.daemon != nil {
		_ = c.daemon.Process.Kill()
		_ = c.daemon.Wait()
		ended := c.daemon
		c.daemon = nil
		c.spoke(ended, c.daemonSays)
	}
}

func (c *chapter) killDaemon() {
	c.stopDaemon()
	c.tally.kills++
	c.tell("the daemon is killed")
	c.startDaemon()
}

// rest lets everything come to an end.
func (c *chapter) rest() {
	c.stopDaemon()
	c.tell("rest")
	c.relay.set(nil)
	_ = os.Remove(c.clones[0].path("origin.git/hooks/pre-receive"))
	for _, clone := range c.clones {
		c.in(clone)
		for c.git("rev-parse", "--abbrev-ref", "HEAD") != "main" {
			c.switchBranch()
		}
		c.commit()
		c.pushMain()
	}
	for round := range 18 {
		c.relay.set(nil)
		before := c.tips()
		work := 0
		for _, clone := range c.clones {
			c.in(clone)
			c.pushMain()
			c.runs("sync")
			if round > 1 {
				work += c.decide()
			}
			work += c.promote()
			c.fetch()
			c.merge("origin/l10n", false)
			c.pushMain()
		}
		_, imports := c.relay.seen()
		if len(imports) == 0 && work == 0 && before == c.tips() {
			c.tell("at rest after %d rounds", round)
			c.in(c.clones[0])
			if c.ahead > 0 {
				return
			}
			for _, clone := range c.clones { // what the service shows does not count as late from now on
				clone.ahead = pass.LateFor + time.Minute
			}
		}
	}
	c.tb.Error("it does not come to rest")
	c.in(c.clones[0])
}

// tips are the commits of all branches that count.
func (c *chapter) tips() string {
	l10n, _ := gittest.TryGit(c.tb, c.clones[0].path("origin.git"), "rev-parse", "l10n")
	all := l10n + c.origin("rev-parse", "main")
	for _, clone := range c.clones {
		all += clone.git("rev-parse", "HEAD")
	}
	return all
}

// decide decides everything that waits for a person in this clone, for one side, and tells how much that was.
func (c *chapter) decide() int {
	waiting := c.waiting()
	if len(waiting) == 0 {
		return 0
	}
	side := one(c, []string{"ours", "theirs"})
	for _, w := range waiting {
		c.tell("decided for %s: %+v", side, w)
	}
	c.runs(side)
	c.tally.decided += len(waiting)
	return len(waiting)
}

// promote makes drafts final, as a translator who is done.
func (c *chapter) promote() int {
	n := 0
	for _, b := range c.bundles {
		for _, l := range []string{"de", "sv"} {
			final := c.there(b, l, service.Final)
			keys := make(map[string]bool)
			draft := c.there(b, l, service.Draft)
			living := valuesOf(c.read(c.repo(), b, "en"))
			for name, value := range draft {
				if _, lives := living[name]; final[name] != value && lives {
					keys[name.Key] = true
				}
			}
			var units catalog.Catalog
			for _, name := range slices.SortedFunc(maps.Keys(draft), catalog.Name.Compare) {
				if keys[name.Key] {
					units = append(units, catalog.Unit{Name: name, Text: draft[name]})
				}
			}
			if len(units) > 0 {
				c.put(b, l, units, service.Final)
				n += len(units)
			}
		}
	}
	return n
}

// verify holds the three sides against each other, and looks for every text that was ever written.
func (c *chapter) verify() {
	for _, clone := range c.clones {
		gittest.Sound(c.tb, clone.repo())
	}
	gittest.Sound(c.tb, c.path("origin.git"))
	_, err := gittest.TryGit(c.tb, c.rival, "fetch", "-q", "origin")
	c.must(err)
	_, err = gittest.TryGit(c.tb, c.rival, "checkout", "-q", "-f", "-B", "l10n", "origin/l10n")
	c.must(err)
	_, err = gittest.TryGit(c.tb, c.path("origin.git"), "merge-base", "--is-ancestor", "l10n", "main")
	merged := err == nil // all that the branch has is on main, and it takes what main has beyond that in with its next commit
	now := make(map[cell]string)
	for _, b := range c.bundles {
		source := valuesOf(c.read(c.repo(), b, "en"))
		for _, l := range []string{"en", "de", "sv"} {
			here, there, branch := valuesOf(c.read(c.repo(), b, l)), c.there(b, l, service.Final), valuesOf(c.read(c.rival, b, l))
			if l == "en" { // the branch takes source texts in with its next commit
				there, branch = c.there(b, l, service.Draft), here
			}
			if merged {
				branch = here
			}
			for n := range source {
				if here[n] != branch[n] || here[n] != there[n] {
					c.tb.Errorf("%s is %q here, %q on the branch and %q at the service", cell{b.Path, l, n}, here[n], branch[n], there[n])
				}
				now[cell{b.Path, l, n}] = here[n]
			}
			for n := range here {
				if _, living := source[n]; !living {
					c.tb.Errorf("%s is here, and not in the source", cell{b.Path, l, n})
				}
			}
		}
	}
	reports := ""
	for _, clone := range c.clones {
		c.in(clone)
		reports += c.reports() + fmt.Sprint(c.waiting())
		for _, b := range c.bundles {
			for _, l := range []string{"en", "de", "sv"} {
				if first, here := valuesOf(c.read(c.clones[0].repo(), b, l)), valuesOf(c.read(c.repo(), b, l)); !maps.Equal(first, here) {
					c.tb.Errorf("%s in %s is not the same in all clones: %v and %v", b.Path, l, first, here)
				}
			}
		}
	}
	c.in(c.clones[0])
	present := make(map[[3]string]bool) // also under the new name of a key whose old one is there again
	for at, value := range now {
		present[[3]string{at.source, at.language, value}] = true
	}
	for _, t := range c.written {
		c.tally.written++
		_, living := now[t.cell]
		switch {
		case present[[3]string{t.source, t.language, t.value}]:
			c.tally.present++
		case t.replaced, !living:
			c.tally.replaced++
		case strings.Contains(reports, t.value):
			c.tally.reported++
		case c.raced(t):
			c.tally.raced++
		default:
			c.tally.lost++
			c.tb.Errorf("lost: %q of %s at %s; now %q", t.value, t.cell, t.at.Format("05.000"), now[t.cell])
		}
	}
	c.tally.ourCommits = strings.Count(c.origin("log", "--format=%an", "l10n"), "locsync")
}

// raced reports whether a text came to the service after a push had asked for the service's texts and before its import came: the service's interface
// has no way to notice that.
func (c *chapter) raced(t *text) bool {
	came := []time.Time{t.at}
	if t.who != "translator" {
		came = nil
		for _, s := range c.sent {
			if strings.Contains(s.body, t.value) {
				came = append(came, s.at)
			}
		}
	}
	return slices.ContainsFunc(came, func(at time.Time) bool {
		return slices.ContainsFunc(c.sent, func(s sentText) bool {
			return s.look.Before(at) && s.at.After(at) && strings.Contains(s.body, "of ") && c.holdsCell(s.body, t.cell)
		})
	})
}

// holdsCell reports whether an import held a text of a cell.
func (c *chapter) holdsCell(body string, at cell) bool {
	for value, t := range c.written {
		if t.cell == at && strings.Contains(body, value) {
			return true
		}
	}
	return false
}

// waiting is what waits for a decision in this clone, as it is stored.
func (c *chapter) waiting() []ledger.Conflict {
	store, err := boltledger.Open(c.path("state"))
	c.must(err)
	defer store.Close()
	kept, err := ledger.Conflicts.List(store, c.stateName())
	c.must(err)
	return kept
}

// spoke checks that a victim that has ended could write all of its reports.
func (s *scene) spoke(cmd *exec.Cmd, out *bytes.Buffer) {
	s.tb.Helper()
	if cmd.ProcessState.ExitCode() == victimSpeechless {
		s.tb.Fatalf("what was named is not known, as the reports could not be written: %s", out)
	}
}
