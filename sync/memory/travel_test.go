package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// pair is two clones of one remote, and its address.
func pair(t *testing.T) (origin string, one, two *clone) {
	t.Helper()
	gittest.Need(t)
	dir := gittest.Init(t, map[string]string{"en/a.json": jsonOf(map[string]string{"a": "A", "b": "B"}),
		"de/a.json": jsonOf(map[string]string{"a": "A de"})})
	origin = gittest.Bare(t, dir)
	gittest.Git(t, dir, "push", "-q", "origin", "main", "main:l10n")
	gittest.Git(t, dir, "fetch", "-q", "origin")
	one = newClone(t, dir, "origin")
	two = newClone(t, gittest.Clone(t, "file://"+origin), "origin")
	return origin, one, two
}

// agrees sets the text that both sides agreed on last.
func (c *clone) agrees(keysAndTexts ...string) {
	c.tb.Helper()
	c.must(ledger.Amend(c.ledger, ledger.Merged.Of(project, "de/a.json", "de"), func(marks catalog.Marks) {
		for i := 0; i < len(keysAndTexts); i += 2 {
			marks[catalog.Name{Key: keysAndTexts[i]}] = catalog.MarkOf(keysAndTexts[i+1])
		}
	}))
}

// agreed are the texts that are agreed on, of some that are known.
func (c *clone) agreed(texts ...string) string {
	c.tb.Helper()
	marks, err := c.ledger.Marks(ledger.Merged.Of(project, "de/a.json", "de"))
	c.must(err)
	var all []string
	for _, n := range marks.Names() {
		text := "?"
		for _, known := range texts {
			if marks[n] == catalog.MarkOf(known) {
				text = known
			}
		}
		all = append(all, n.Key+"="+text)
	}
	return strings.Join(all, " ")
}

// Two clones that save at once: the second one's push is refused, and what both learned is one memory.
func TestTwoThatSaveAtOnce(t *testing.T) {
	origin, one, two := pair(t)
	one.begin()
	one.agrees("a", "A de", "b", "B0")
	one.end()
	two.begin()
	one.agrees("a", "A1", "c", "C1")
	two.agrees("a", "A2", "b", "B2")
	one.end()
	two.end()
	one.begin()
	// Which of A1 and A2 is the later one cannot be told: it is not agreed on any more.
	const want = "b=B2 c=C1"
	for _, c := range []*clone{one, two} {
		if got := c.agreed("A1", "A2", "B0", "B2", "C1", "A de"); got != want {
			t.Errorf("agreed are %s, want %s", got, want)
		}
	}
	gittest.Sound(t, origin)
}

// A ledger with changes that were not saved, since the process was killed, keeps them and takes what others saved.
func TestUnsavedChanges(t *testing.T) {
	_, one, two := pair(t)
	one.begin()
	one.agrees("a", "A0", "b", "B0")
	one.end()
	two.begin()
	two.agrees("b", "B2")
	two.end()
	one.agrees("a", "A1") // and then it is killed
	one.begin()
	if got := one.agreed("A0", "A1", "B0", "B2"); got != "a=A1 b=B2" {
		t.Errorf("agreed are %s", got)
	}
	one.end()
	two.begin()
	if got := two.agreed("A0", "A1", "B0", "B2"); got != "a=A1 b=B2" {
		t.Errorf("in the other clone %s", got)
	}
}

// An answered question is answered in both clones, whatever the other one noted of it meanwhile.
func TestAnAnswerEndsAQuestion(t *testing.T) {
	_, one, two := pair(t)
	question := ledger.Conflict{Path: "de/a.json", Language: "de", Key: "a", Open: true}
	one.begin()
	one.must(ledger.Conflicts.Put(one.ledger, project, question.ID(), question))
	one.end()
	two.begin()
	question.At = question.At.Add(time.Hour)
	two.must(ledger.Conflicts.Put(two.ledger, project, question.ID(), question))
	one.must(ledger.Conflicts.Delete(one.ledger, project, question.ID()))
	one.end()
	two.end()
	if open, err := ledger.Conflicts.List(two.ledger, project); err != nil || len(open) > 0 {
		t.Errorf("open are %v, %v", open, err)
	}
}

// A state that is older than the memory of its repository, as from a backup, is brought up to date.
func TestAnOlderState(t *testing.T) {
	_, one, _ := pair(t)
	one.begin()
	one.agrees("a", "A0")
	one.end()
	before, err := one.ledger.Record(ledger.Key{Scope: project, Kind: "memory"})
	one.must(err)
	one.agrees("a", "A1")
	one.end()
	store := untracked(one.ledger)
	one.must(store.PutRecord(ledger.Key{Scope: project, Kind: "memory"}, before))
	one.must(store.SetMarks(ledger.Merged.Of(project, "de/a.json", "de"), marksOf(map[string]string{"a": "A0"})))
	one.begin()
	if got := one.agreed("A0", "A1"); got != "a=A1" {
		t.Errorf("agreed are %s", got)
	}
}

// refuses lets a remote refuse references that a pattern of the shell fits.
func refuses(t *testing.T, origin, pattern string) (asked func() int) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "asked")
	gittest.Hook(t, origin, "update",
		fmt.Sprintf(`case "$1" in %s) echo x >> %s; echo heads only >&2; exit 1;; esac`, pattern, log))
	return func() int {
		said, _ := os.ReadFile(log)
		return len(said) / 2
	}
}

// A remote that refuses the reference is asked once an hour; the memory stays here, and is sent when it is taken.
func TestARemoteThatRefuses(t *testing.T) {
	origin, one, two := pair(t)
	asked := refuses(t, origin, "refs/locsync/*")
	one.begin()
	one.agrees("a", "A0")
	one.end()
	if said, err := Refused(one.ledger, project); err != nil || !strings.Contains(said, "refs/locsync/app") {
		t.Errorf("it is told as %q, %v", said, err)
	}
	for n := range 3 {
		one.begin()
		one.agrees("a", fmt.Sprint("A", n))
		one.end()
	}
	if n := asked(); n != 1 {
		t.Errorf("the remote was asked %d times", n)
	}
	gittest.Hook(t, origin, "update", "exit 0")
	one.now = one.now.Add(2 * time.Hour)
	one.begin()
	one.end()
	two.begin()
	if got := two.agreed("A2"); got != "a=A2" {
		t.Errorf("the other clone has %q", got)
	}
	if said, _ := Refused(one.ledger, project); said != "" {
		t.Errorf("it is still told: %s", said)
	}
}

// memory = "branch" is for remotes that take branches only; "local" sends nothing.
func TestWhereItIsKept(t *testing.T) {
	for where, want := range map[gitops.Keeping]string{gitops.KeepRef: "refs/locsync/app",
		gitops.KeepBranch: "refs/heads/locsync/app", gitops.KeepHere: ""} {
		origin, one, two := pair(t)
		one.where, two.where = where, where
		one.begin()
		one.agrees("a", "A0")
		one.end()
		two.begin()
		got := strings.TrimSpace(strings.NewReplacer("refs/heads/main", "", "refs/heads/l10n", "").Replace(
			gittest.Git(t, origin, "for-each-ref", "--format=%(refname)")))
		if got != want {
			t.Errorf("%s: the remote has %q", where, got)
		}
		if has := two.agreed("A0") == "a=A0"; has != (want != "") {
			t.Errorf("%s: the other clone has it: %v", where, has)
		}
	}
}

// A status asks no remote: a clone knows what it has loaded, or fetched with its branches, and else says that it does
// not know.
func TestRecall(t *testing.T) {
	for where, want := range map[gitops.Keeping]struct {
		known  bool
		agreed string
	}{gitops.KeepRef: {false, ""}, gitops.KeepBranch: {true, "a=A0"}, gitops.KeepHere: {true, ""}} {
		_, one, two := pair(t)
		one.where, two.where = where, where
		recalls := func(c *clone, known bool, agreed string) {
			t.Helper()
			recalled := *c
			recalled.ledger = ledger.Draft(c.ledger)
			is, err := recalled.memory().Recall(t.Context())
			c.must(err)
			if got := recalled.agreed("A0"); is != known || got != agreed {
				t.Errorf("%s: known is %v, want %v; agreed are %q, want %q", where, is, known, got, agreed)
			}
		}
		recalls(one, where == gitops.KeepHere, "")
		one.begin() // at the remote nothing is remembered yet
		recalls(one, true, "")
		one.agrees("a", "A0")
		one.end()
		gittest.Git(t, two.dir, "fetch", "-q")
		two = newClone(t, two.dir, "origin")
		two.where = where
		recalls(two, want.known, want.agreed)
		two.begin()
		recalls(two, true, two.agreed("A0"))
	}
}

// Where the remote cannot be reached, a clone that knows something goes on, and one that knows nothing does not: it
// would guess what was agreed on.
func TestWithoutTheRemote(t *testing.T) {
	origin, one, two := pair(t)
	one.begin()
	one.agrees("a", "A0")
	one.end()
	gone := origin + ".gone"
	one.must(os.Rename(origin, gone))
	one.must(os.WriteFile(origin, nil, 0o600))
	one.begin()
	one.agrees("a", "A1")
	one.end()
	gittest.Git(t, two.dir, "remote", "set-url", "origin", "http://127.0.0.1:1/app.git")
	cut := newClone(t, two.dir, "origin")
	if err := cut.memory().Begin(t.Context(), false); err == nil {
		t.Error("a clone that knows nothing goes on")
	}
	gittest.Git(t, two.dir, "remote", "set-url", "origin", "file://"+origin)
	one.must(os.Remove(origin))
	one.must(os.Rename(gone, origin))
	one.begin()
	one.end()
	two = newClone(t, two.dir, "origin")
	two.begin()
	if got := two.agreed("A1"); got != "a=A1" {
		t.Errorf("the other clone has %q", got)
	}
}

// A memory that a later locsync wrote is not touched.
func TestALaterLayout(t *testing.T) {
	_, one, two := pair(t)
	one.begin()
	one.agrees("a", "A0")
	one.end()
	k := one.repo.Kept("app", gitops.KeepRef)
	here, err := k.Here()
	one.must(err)
	later, err := k.Write(t.Context(), here, here, gitops.Content{Folder: "abc/main",
		Files: map[string][]byte{"format": []byte("2\n")}, Message: "later"})
	one.must(err)
	one.must(k.Push(t.Context(), here, later))
	err = two.memory().Begin(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "newer locsync") {
		t.Errorf("%v", err)
	}
}
