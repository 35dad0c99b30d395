//go:build unix

package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/text/plural"
)

// repositoriesDir is where real repositories are: in LOCSYNC_REPOSITORIES, or beside the checkout.
func repositoriesDir() string {
	if dir := os.Getenv("LOCSYNC_REPOSITORIES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "repositories")
}

// realRepositories are the archives to try, the largest first: what begins last is not to be waited for alone.
func realRepositories(t *testing.T) (archives []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(repositoriesDir(), "MANIFEST.tsv"))
	if os.IsNotExist(err) {
		t.Skip("no real repositories here (LOCSYNC_REPOSITORIES)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	size := make(map[string]int64)
	for _, row := range rows[1:] {
		archive := filepath.Join(repositoriesDir(), row[0]+".tar.gz")
		info, err := os.Stat(archive)
		if err != nil {
			t.Fatal(err)
		}
		archives, size[archive] = append(archives, archive), info.Size()
	}
	slices.SortFunc(archives, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	return archives
}

// First contact does no harm in real repositories: see lawsOfFirstContact.
func TestRepositories(t *testing.T) {
	gittest.Need(t)
	if os.Getenv("LOCSYNC_ALL_REPOSITORIES") == "" {
		t.Skip("takes minutes; LOCSYNC_ALL_REPOSITORIES=1 runs it")
	}
	for _, archive := range realRepositories(t) {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gittest.Draw(t, "LOCSYNC_ALL_REPOSITORIES")
			lawsOfFirstContact(t, bareOf(t, unpacked(t, archive)))
		})
	}
}

// lawsOfFirstContact is what a stranger's first hour with the program has to be like in any repository: with the
// configuration that init wrote, and with a service that knows nothing, that has everything, and that has half,
// and other texts in a tenth of that. All languages are sent and pulled once; after that a few stand for them.
func lawsOfFirstContact(t *testing.T, bare string) {
	var spent spending
	begin := time.Now()
	t.Cleanup(func() {
		if spent.peak > mostMemory {
			t.Errorf("%q took %d MB", spent.greedy, spent.peak>>20)
		}
		t.Logf("%.1f s; %d runs used processors for %.1f s, most of all %q (%.1f s), and %d MB at most",
			time.Since(begin).Seconds(), spent.runs, spent.time.Seconds(), spent.slow,
			spent.slowest.Seconds(), spent.peak>>20)
		t.Logf("first sync: %d requests, %d imports", spent.requests, spent.imports)
	})
	written := ""
	t.Run("trial", func(t *testing.T) {
		n := arrive(t, bare, &spent)
		n.initialized()
		written = string(n.file("locsync.toml"))
		n.trial()
	})
	if written == "" {
		return
	}
	s := &atService{counted: serveCounted(t, t.TempDir(), ""), bare: bare, written: written, spent: &spent}
	defer s.close(t)
	t.Run("empty", s.knowsNothing)
	t.Run("half", s.hasHalf)
	t.Run("full", s.hasEverything)
}

// mostMemory is what no run may take more of, in bytes.
const mostMemory = 512 << 20

// initialized runs init and check, and looks that nothing but the configuration is new.
func (n *newcomer) initialized() {
	n.Helper()
	before := n.snapshot()
	if r := n.locsync("init", "--no-input"); r.code != 0 {
		n.Fatalf("locsync init ended with %d: %s%s", r.code, r.out, r.log)
	}
	n.unmoved(before+"?? locsync.toml", "init")
	if r := n.locsync("check", "--json"); r.code != 0 && r.code != 3 {
		n.Errorf("locsync check ended with %d: %s%s", r.code, clipped(r.out), clipped(r.log))
	}
}

// trial is the first hour with the embedded service, and the configuration as init wrote it.
func (n *newcomer) trial() {
	before := n.snapshot()
	sent := n.pass("push", "--translations")
	n.unmoved(before, "push --translations")
	var have map[place]string
	n.atEmbedded(func(w *translator) { have = w.texts(n.collections()) })
	n.allSent(have, sent.problems())

	n.nothingMore("sync")
	n.unmoved(before, "the first pull")
	n.set("[project.pull]", "completion_state", `"draft"`)
	n.pass("pull", "--full")
	n.unmoved(before, "a pull of drafts")
	n.set("[project.pull]", "completion_state", `"final"`)

	n.fewLanguages()
	n.editsTravel()
}

// manyLanguages is more than what follows the first hour is tried with: there is less to find in each language than it
// takes time. With -tags soak all are.
const manyLanguages = 8

// fewLanguages leaves some languages in the configuration, from all parts of it.
func (n *newcomer) fewLanguages() {
	n.Helper()
	project := n.config().Projects[0]
	all := project.TargetLanguages
	if len(all) <= manyLanguages || soaking {
		return
	}
	var few []string
	for i := range manyLanguages {
		few = append(few, fmt.Sprintf("%q", all[i*len(all)/manyLanguages]))
	}
	n.set("[[project]]", "target_languages", "["+strings.Join(few, ", ")+"]")
	for _, code := range all { // as a key it is a spelling of a language
		if quoted := fmt.Sprintf("%q", code); !slices.Contains(few, quoted) {
			n.unset(quoted)
		}
	}
}

// atService is a service that several newcomers come to with configurations that init wrote.
type atService struct {
	*counted
	bare, written string
	spent         *spending
	held          map[place]string // what it had after the first sync of the first newcomer
}

// arrive makes a clone, and a configuration with a project of the service.
func (s *atService) arrive(t *testing.T, bare, id string) *newcomer {
	t.Helper()
	n := arrive(t, bare, s.spent)
	s.configure(n, id)
	return n
}

func (s *atService) configure(n *newcomer, id string) {
	n.Helper()
	if err := os.WriteFile(n.configFile(), []byte(s.written), 0o644); err != nil {
		n.Fatal(err)
	}
	n.set("[service]", "url", fmt.Sprintf("%q", s.server.URL))
	n.set("[service]", "account_id", `"acc"`)
	n.set("[service]", "requests_per_second", "100000")
	n.set("[[project]]", "id", fmt.Sprintf("%q", id))
	n.set("[project.pull]", "remote", `"origin"`)
	n.fewLanguages()
	p := n.config().Projects[0]
	if err := s.EnsureProject(id, p.Name, p.SourceLanguage, p.TargetLanguages); err != nil {
		n.Fatal(err)
	}
}

const (
	emptyProject = "11111111-2222-3333-4444-000000000001"
	halfProject  = "11111111-2222-3333-4444-000000000002"
)

// knowsNothing: all texts travel to the service, and nothing changes here.
func (s *atService) knowsNothing(t *testing.T) {
	n := s.arrive(t, s.bare, emptyProject)
	before := n.snapshot()
	sent := n.pass("sync")
	s.spent.requests, s.spent.imports = int(s.requests.Load()), int(s.imports.Load())
	n.few(s.spent.imports)
	n.unmoved(before, "the first sync")
	w := &translator{t, s.server.URL, emptyProject}
	s.held = w.texts(n.collections())
	n.allSent(s.held, sent.problems())
	n.nothingMore("sync")
	n.unmoved(before, "the second sync")
}

// few fails where there were more imports than two for each language of each collection's files of a format.
func (n *newcomer) few(imports int) {
	n.Helper()
	type group struct{ collection, format string }
	groups := make(map[group]bool)
	sources, _ := n.pairs()
	for _, p := range sources {
		groups[group{p.collection, p.rule.Format}] = true
	}
	if most := 2 * len(groups) * (1 + len(n.config().Projects[0].TargetLanguages)); imports > most {
		n.Errorf("the first sync took %d imports, more than %d for %d collections", imports, most, len(groups))
	}
}

// hasEverything: a second clone, which remembers nothing, sends nothing and gets nothing.
func (s *atService) hasEverything(t *testing.T) {
	n := s.arrive(t, s.bare, emptyProject)
	before := n.snapshot()
	w := &translator{t, s.server.URL, emptyProject}
	n.pass("sync")
	n.unmoved(before, "the first sync of a second clone")
	if !maps.Equal(s.held, w.texts(n.collections())) {
		t.Error("the first sync of a second clone, or the second one of the first, changed texts at the service")
	}
	n.set("[project.pull]", "completion_state", `"draft"`)
	n.pass("pull", "--full")
	n.unmoved(before, "a pull of drafts")
	n.set("[project.pull]", "completion_state", `"final"`)
	n.nothingMore("push", "--translations")
	n.unmoved(before, "the passes of a second clone")
}

// nothingMore is a pass that has nothing to do.
func (n *newcomer) nothingMore(args ...string) {
	n.Helper()
	r := n.pass(args...)
	for _, half := range r.halves() {
		for _, p := range half.Projects {
			if p.Keys > 0 || p.Commit != "" {
				files, _ := json.Marshal(p.Files)
				n.Errorf("locsync %s had %d texts to move, commit %q: %s",
					strings.Join(args, " "), p.Keys, p.Commit, clipped(string(files)))
			}
		}
	}
	if p := r.halves()[0].Projects[0]; p.Requests > 0 {
		n.Errorf("locsync %s started %d imports", strings.Join(args, " "), p.Requests)
	}
}

// collections are the collections of the configuration's source files.
func (n *newcomer) collections() (names []string) {
	sources, _ := n.pairs()
	for _, p := range sources {
		names = append(names, p.collection)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// allSent fails for texts that the service lacks, or has otherwise, and that no problem names.
func (n *newcomer) allSent(have map[place]string, problems []passProblem) {
	n.Helper()
	sources, targets := n.pairs()
	inSource := n.read(sources)
	wanted := slices.Concat(inSource, sendable(inSource, n.read(targets)))
	if len(wanted) == 0 {
		n.Fatal("no text was found")
	}
	named := naming(problems)
	var missing []string
	for _, t := range wanted {
		got, there := have[t.place]
		if !there && t.form != "" { // a list's item has a key of its own
			_, there = have[place{t.collection, t.language, t.key + "/" + t.form}]
		}
		if t.value == "" || there && saysForm(got, t) || named(t) {
			continue
		}
		why := "is not at the service"
		if there {
			why = fmt.Sprintf("is %q at the service", got)
		}
		missing = append(missing, fmt.Sprintf("%s: %q (%s): %q %s", t.file, t.key, t.language, t.value, why))
	}
	n.none(missing, "texts were not sent, and no problem names them")
}

// saysForm reports whether a text of the service is a text, or has it as a plural's form; what a plural is there that
// cannot be taken apart, or the items of a list, is there at least.
func saysForm(got string, t text) bool {
	if t.form == "" {
		return got == t.value
	}
	for _, kind := range []plural.Kind{plural.Cardinal, plural.Ordinal} {
		if _, forms, ok := plural.Split(got, kind, ""); ok {
			return slices.Contains(forms, plural.Form{Category: t.form, Text: t.value})
		}
	}
	return true
}

// none fails with the first of what should not be.
func (n *newcomer) none(all []string, what string) {
	n.Helper()
	if len(all) > 0 {
		n.Errorf("%d %s:\n%s", len(all), what, strings.Join(all[:min(5, len(all))], "\n"))
	}
}

// naming tells of which texts problems speak: by key, or by file where the whole file is left out. What is said of a
// source text holds for its translations.
func naming(problems []passProblem) func(text) bool {
	type entry struct{ file, key, language string }
	named := make(map[entry]bool)
	inAll := make(map[entry]bool)
	for _, p := range problems {
		named[entry{p.File, p.Key, p.Language}] = true
		inAll[entry{p.File, p.Key, ""}] = true
	}
	return func(t text) bool {
		for _, key := range []string{t.key, ""} {
			if named[entry{t.file, key, t.language}] || named[entry{t.file, key, ""}] ||
				inAll[entry{t.source, key, ""}] {
				return true
			}
		}
		return false
	}
}

// editsTravel: one source text edited here, and one translation at the service, are one key there, and one line here.
func (n *newcomer) editsTravel() {
	n.Helper()
	sources, targets := n.pairs()
	texts := slices.Concat(n.read(sources), n.read(targets))
	times := make(map[place]int)
	for _, t := range texts {
		times[t.place]++
	}
	translated := make(map[place]int)
	for _, t := range texts {
		translated[place{t.collection, "", t.key}]++
	}
	edited := n.editable(sources, " now", func(t text) bool {
		return times[t.place] == 1 && translated[place{t.collection, "", t.key}] > 1
	})
	if edited == nil {
		n.Log("no source text can be edited by bytes")
	} else {
		n.sourceEdit(edited)
	}

	simple := make(map[place]bool)
	for _, t := range n.read(sources) {
		simple[place{t.collection, "", t.key}] = t.simple() && (edited == nil || t.key != edited.key)
	}
	translation := n.editable(targets, " now", func(t text) bool {
		// One in a file with all languages is edited in the script of catalogs.
		return times[t.place] == 1 && simple[place{t.collection, "", t.key}] && t.file != t.source
	})
	if translation == nil {
		n.Log("no translation can be edited by bytes")
		return
	}
	n.translatorsEdit(translation)
}

func (n *newcomer) sourceEdit(e *edit) {
	n.Helper()
	n.commit(e)
	p := n.pass("sync").Push.Projects[0]
	if p.Requests != 1 || p.Keys != 1 || len(p.Files) != 1 || p.Files[0].Path != e.file || p.Files[0].Keys[0] != e.key {
		n.Errorf("one source text was edited, %q of %s, and push made %d imports with %d texts: %v",
			e.key, e.file, p.Requests, p.Keys, p.Files)
	}
	others := slices.DeleteFunc(n.changes(), func(c change) bool { return c.key == e.key })
	n.none(described(others), "texts changed after an edit of the source text of "+e.key)
}

func (n *newcomer) translatorsEdit(e *edit) {
	n.Helper()
	was := n.changes()
	n.atEmbedded(func(w *translator) { w.translate(e.collection, e.language, map[string]string{e.key: e.new}) })
	tree, head := n.git("status", "--porcelain"), n.git("rev-parse", "HEAD")
	n.pass("pull")
	if n.git("status", "--porcelain") != tree || n.git("rev-parse", "HEAD") != head {
		n.Error("the pull moved the working tree")
	}
	want := change{e.file, e.key, "", e.value, e.new}
	got := slices.DeleteFunc(n.changes(), func(c change) bool { return slices.Contains(was, c) })
	if len(got) != 1 || got[0] != want {
		n.Errorf("a translator changed %+v, and the pull changed %+v", want, got[:min(3, len(got))])
		return
	}
	if got := n.blob(n.branch(), e.file); len(was) == 0 && string(got) != string(e.in(n.file(e.file))) {
		n.Errorf("more of %s changed than one text", e.file)
	}
	n.nothingMore("sync")
}
