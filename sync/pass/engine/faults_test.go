//go:build unix

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// What may go wrong, and the tests that make it go wrong. Parts are real everywhere: the embedded service over HTTP,
// git's own program, folders.
//
//	kill -9 anywhere                          TestKilledBetweenEffectAndRecord, TestSoak; state TestKilledWhileWriting; gitops TestKilledAtEveryStep;
//	                                          service/local TestKilledAtAnyMoment; cmd kill.txtar
//	a request fails, before or after its      TestEveryRequestFailsOnce, TestPushEndsTheSameWhateverHappens; service TestLostAnswers,
//	effect; its answer is lost or cut         TestRefusedBeforeTheEffect
//	429 and 5xx storms, outages               TestEveryRequestFailsOnce; service TestBudgetPausesAll, TestLongMaintenance, TestBreakerKeepsAway; cmd TestOutage
//	Retry-After of a day, negative, no number service TestRetryAfter
//	slow, half and endless answers            service TestEndlessAnswers
//	TLS, redirects elsewhere                  service TestUntrustedServer, TestRedirects
//	archives cut, flipped, huge, nested       service TestArchiveDamage, TestArchiveBounds, TestArchiveMillionMembers, FuzzArchive; here TestPullOfAStrangeArchive
//	paths that leave their place              TestNamesOfTheServiceStayInTheirPlace; service TestArchiveRefusals; gitops TestPathsThatAreRefused
//	targets that are no ordinary files        TestSpecialFilesInPlaceOfResources, TestPullDoesNotWriteThroughALink; gitops TestBadPathsAreRefusedTogether
//	files that break parsers                  the laws and fuzz targets of formats
//	full disk, read-only, folder gone         state TestFullDisk, TestAFolderThatCannotBeWritten, TestTheFolderVanishes; gitops TestAnErrorWhileWritingAPackIsReturned
//	state lost or damaged                     TestDamagedStateTakesNothingAway; state TestUnsoundStoreIsPutAside, TestFlippedBytes
//	clocks that jump, change or sleep         config TestScheduleWhereClocksChange, TestScheduleLaws; here TestMissedPull, TestBackoff
//	events lost, limits reached, root gone    watch TestAfterAnOverflowEverythingIsLookedAt, TestAboveTheLimitThereIsPolling, TestRootReturns
//	git at work beside us                     watch TestRealCheckout; here TestPushWaitsForGit
//	branch moved, rewound, deleted, protected TestTheBranchIsRewoundOrDeleted, TestPullOnABranchThatMovesMeanwhile, TestPullDeliversLater,
//	                                          TestPullOffersWhatTheRemoteWants; gitops TestRefusals,
//	                                          TestRewoundAndDeletedRemote, TestManyPublishers
//	two processes, one state                  state TestASecondProcessIsToldWhoHasIt; cmd example.txtar, TestCommandsAtOnce
//	callbacks forged, replayed, in floods     cmd TestWhoMayTrigger
//	secrets in any output                     TestSecretsStayAtHome; service TestKeyStaysSecret; gitops TestSecretsDoNotFollowRedirects

// Every request of a sync fails once, in every way that a request can: what comes of it in the end is what comes of an
// undisturbed sync. Without -tags soak, some of the requests and ways, other ones each time.
func TestEveryRequestFailsOnce(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	u := tellCrashStory(t)
	ways := map[string]fate{
		"500": {refuse: 500}, "503": {refuse: 503}, "429": {refuse: 429,
			header: "1"}, "429 of a strange kind": {refuse: 429, header: "-5, soon"}, "408": {refuse: 408},
		"cut before": {before: func() {}}, "cut after": {lost: true},
		"half an answer": {spoil: func(_ http.Header, b []byte) []byte { return b[:len(b)/2] }},
		"a turned bit": {spoil: func(_ http.Header, b []byte) []byte {
			b = bytes.Clone(b)
			if len(b) > 0 {
				b[len(b)/2] ^= 8
			}
			return b
		}},
	}
	type failure struct {
		n   int
		way string
	}
	var all []failure
	for n := range u.requests {
		for way := range ways {
			all = append(all, failure{n + 1, way})
		}
	}
	if crashRounds == 0 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:4]
	}
	for _, f := range all {
		t.Run(fmt.Sprintf("request %d %s", f.n, f.way), func(t *testing.T) {
			t.Parallel()
			s := u.from.copied(t)
			s.relay.set(func(n int, _ *http.Request, _ []byte) fate {
				if n == f.n {
					return ways[f.way]
				}
				return fate{}
			})
			cmd, out := s.start("sync")
			err := cmd.Wait()
			if err == nil {
				settled(s, u.end)
				return
			}
			t.Logf("%v\n%s", err, out)
			comeToRest(s) // a push that failed is made up for by the next, whose texts need a commit of their own
			got, _, _ := strings.Cut(rested(s), "\ncommits")
			want, _, _ := strings.Cut(u.end, "\ncommits")
			if got != want {
				t.Errorf("it ended as\n%s\nand undisturbed it ends as\n%s", got, want)
			}
		})
	}
}

// A service that chooses file names by labels may send any name: only what fits the template, for a language of the
// configuration, in an ordinary place, is written.
func TestNamesOfTheServiceStayInTheirPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		localOnly+"[[project.files]]\nsource = \"en/one.json\"\noutput = \"out/{LANGUAGE}/{LABEL:file}.json\"\nlabels = [\"file:first\"]\n",
		map[string]string{"en/one.json": "{\n  \"a\": \"A\"\n}\n", "out/keep.txt": "mine\n"})
	w.clean(push.Options{})
	var answer []byte
	w.replies(t, func([]byte) []byte { return answer })
	bad := []string{"out/de/../../evil.json", "../evil.json", "/etc/evil.json",
		"out/de/../de/../../.git/hooks/post-checkout.json", ".git/config", ".github/workflows/evil.json",
		"out/de/..\\..\\evil.json", "out/es/evil.json", "out/de/.git/evil.json", "C:/evil.json",
		"out/DE/evil.json", "out/de/con\x00.json"}
	pairs := []string{"out/de/good.json", `{"a": "Ä"}`}
	for _, name := range bad {
		pairs = append(pairs, name, `{"a": "evil"}`)
	}
	answer = zipped(t, pairs...)
	p := w.pulls(pull.Options{})
	w.gains(p, "out/de/good.json (de): +1 ~0 -0")
	if got := w.git("ls-tree", "-r", "--name-only", "l10n"); got != "en/one.json\nout/de/good.json\nout/keep.txt" {
		t.Errorf("the branch has\n%s", got)
	}
	if len(p.Problems) < len(bad)-2 { // three that fit nothing are one line
		t.Errorf("%d of %d names are told of: %v", len(p.Problems), len(bad), p.Problems)
	}
	if found, _ := filepath.Glob(filepath.Join(w.dir, "..", "*evil*")); len(found) > 0 {
		t.Errorf("written outside: %q", found)
	}
}

// Where a file should be and something else is, a pass neither hangs nor writes nor reads through it; the rest goes on.
func TestSpecialFilesInPlaceOfResources(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/a.json": `{"a": "A"}`,
		"locales/en/b.json": `{"b": "B"}`})
	w.clean(push.Options{})
	w.final("de", "a", "A de", "b", "B de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	at := func(path string) string { return filepath.Join(w.dir, filepath.FromSlash(path)) }
	secret := filepath.Join(t.TempDir(), "secret.json")
	w.check(os.WriteFile(secret, []byte(`{"a": "not for the service"}`), 0o600))
	for name, make := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o777) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"a link that leads out": func(path string) error {
			return os.Symlink(secret, path)
		},
		"a link to nothing": func(path string) error { return os.Symlink("nothing", path) },
		"a link to itself":  func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		for _, path := range []string{"locales/de/a.json", "locales/en/a.json"} {
			w.check(os.Rename(at(path), at(path)+".away"))
			w.check(make(at(path)))
			w.write("locales/en/b.json", fmt.Sprintf(`{"b": "B beside %s at %s"}`, name, path))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			result, err := w.Push(ctx, push.Options{})
			if err != nil || ctx.Err() != nil {
				t.Errorf("%s at %s: %v", name, path, err)
			}
			if sent := fmt.Sprint(result.Projects[0].Files); !strings.Contains(sent, "locales/en/b.json") ||
				strings.Contains(sent, "a.json") {
				t.Errorf("%s at %s: sent %s", name, path, sent)
			}
			if _, err := w.Pull(ctx, pull.Options{}); err != nil {
				t.Errorf("%s at %s: pull: %v", name, path, err)
			}
			cancel()
			w.check(os.Remove(at(path)))
			w.check(os.Rename(at(path)+".away", at(path)))
		}
	}
	if texts := fmt.Sprint(w.at("main", "en"), w.at("main", "de")); strings.Contains(texts, "not for the service") {
		t.Errorf("the service has %s", texts)
	}
	w.has("l10n", "locales/de/a.json", w.show("main", "locales/de/a.json"))

	// A second name of the file, elsewhere: the working tree follows the branch, and the other name keeps what it had.
	w.git("checkout", "-q", "-f", "l10n")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Link(at("locales/de/a.json"), other); err != nil {
		t.Skip(err)
	}
	before, err := os.ReadFile(other)
	w.check(err)
	w.final("de", "a", "A newer")
	w.pulls(pull.Options{})
	if now, err := os.ReadFile(at("locales/de/a.json")); err != nil || !strings.Contains(string(now), "A newer") {
		t.Errorf("the tree did not follow: %s %v", now, err)
	}
	if after, err := os.ReadFile(other); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the other name has %s: %v", after, err)
	}
}

// The branch is rewound, deleted, or made anew from elsewhere at the remote: the next pull that has something to write
// brings all translations again, and drops no commit that is there.
func TestTheBranchIsRewoundOrDeleted(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	s := newScene(t, crashProject, map[string]string{"app/en.json": flat(map[string]string{"a": "A", "b": "B"}),
		"conf/en.yaml": "hello: Hello\n"})
	s.runs("push")
	s.upload("main", "de", "json", service.Final, []byte(flat(map[string]string{"a": "A1"})))
	s.runs("pull")
	first := s.origin("rev-parse", "l10n")
	s.upload("main", "de", "json", service.Final, []byte(flat(map[string]string{"a": "A2", "b": "B2"})))
	s.runs("sync")
	want := s.origin("show", "l10n:app/de.json")
	if want != strings.TrimSpace(flat(map[string]string{"a": "A2", "b": "B2"})) {
		t.Fatal(want)
	}
	somebody := gittest.Clone(t, s.path("origin.git"), "-q", "-b", "l10n")
	theirs := gittest.Commit(t, somebody, "by somebody else", map[string]string{"NOTES": "x\n"})
	n := 0
	changes := map[string]func(){
		"rewound":   func() { s.origin("update-ref", "refs/heads/l10n", first) },
		"deleted":   func() { s.origin("update-ref", "-d", "refs/heads/l10n") },
		"elsewhere": func() { s.origin("update-ref", "refs/heads/l10n", "main") },
		"moved on":  func() { gittest.Git(t, somebody, "push", "-q", "-f", "origin", "l10n") },
	}
	a, b, c, d := "rewound", "moved on", "deleted", "elsewhere"
	for _, what := range []string{a, b, a, c, a, d, b, c, b, d, c, d, a} { // each behind each other
		changes[what]()
		n++
		s.upload("main", "fr", "json", service.Final, []byte(flat(map[string]string{"a": fmt.Sprint("A fr ", n)})))
		s.runs("sync")
		s.runs("sync")
		if got := s.origin("show", "l10n:app/de.json"); got != want {
			t.Errorf("%s: the branch has\n%s", what, got)
		}
		if what == "moved on" {
			s.origin("merge-base", "--is-ancestor", theirs, "l10n")
		}
		if got := fmt.Sprint(s.holds("main", "de", "json", service.Final)); got != "map[a:A2 b:B2]" {
			t.Errorf("%s: the service has %s", what, got)
		}
	}
	gittest.Sound(t, s.repo())
	gittest.Sound(t, s.path("origin.git"))
}

// State that is lost or damaged costs work, and nothing else: it is put aside and said so, and what service and
// repository hold stays, in sync or not.
func TestDamagedStateTakesNothingAway(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	u := tellCrashStory(t)
	rest := u.from.copied(t)
	rest.runs("sync")
	rest.runs("sync")
	atRest := rested(rest)
	texts := func(s *scene) map[string]string {
		all := make(map[string]string)
		for _, l := range []string{"de", "fr"} {
			for collection, format := range map[string]string{"main": "json", "conf": "yaml"} {
				for k, v := range s.holds(collection, l, format, service.Draft) {
					all[collection+" "+l+" "+k] = v
				}
			}
		}
		return all
	}
	settled := texts(rest)
	rest.close()
	for name, damage := range map[string]func(path string, b []byte) error{
		"cut":   func(path string, b []byte) error { return os.Truncate(path, int64(len(b)/2)) },
		"empty": func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"noise": func(path string, b []byte) error {
			return os.WriteFile(path, bytes.Repeat([]byte("noise"), len(b)/5), 0o600)
		},
		"deleted": func(path string, _ []byte) error { return os.Remove(path) },
		"turned": func(path string, b []byte) error {
			for i := 0; i < len(b); i += 997 {
				b[i] ^= 16
			}
			return os.WriteFile(path, b, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, from := range []*scene{rest, u.from} {
				s := from.copied(t)
				path := s.path("state/state.db")
				b, err := os.ReadFile(path)
				s.must(err)
				s.must(damage(path, b))
				before := texts(s)
				tree := s.origin("ls-tree", "-r", "l10n")
				s.runs("sync")
				s.runs("sync")
				after := texts(s)
				for k, v := range before {
					if after[k] != v && (from == rest ||
						after[k] != settled[k]) { // what people wrote and had not sent yet is sent
						t.Errorf("the service had %q for %s and has %q", v, k, after[k])
					}
				}
				if said := strings.Contains(s.reports(), "rebuilt"); said == (name == "deleted" || name == "empty") {
					t.Errorf("it says that state was put aside: %v", said)
				}
				if from == rest {
					if now := s.origin("ls-tree", "-r", "l10n"); now != tree {
						t.Errorf("the branch had\n%s\nand has\n%s", tree, now)
					}
					if got := rested(s); got != atRest {
						t.Errorf("it was\n%s\nand is\n%s", atRest, got)
					}
				}
				s.relay.set(nil)
				s.runs("sync")
				if _, imports := s.relay.seen(); len(imports) > 0 {
					t.Errorf("a later pass sent %v", imports)
				}
				gittest.Sound(t, s.repo())
				s.close()
			}
		})
	}
}

// No secret of the configuration, nor one that a server says back, comes out in a report, an error, a log, the status,
// the state or the repository.
func TestSecretsStayAtHome(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const key, password = "canary-key-8c41f0", "canary-password-77aa21"
	gittest.Need(t)
	dir, home, data := gittest.Init(t, map[string]string{enApp: `{"a": "A"}`}), t.TempDir(), t.TempDir()
	svc, err := local.Open(data, local.Options{AccountID: "secrets", Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	// What is known of an account at an address stays for the process: a later server at this port is not to inherit
	// it.
	failing := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, said, _ := r.BasicAuth(); {
		case strings.Contains(r.URL.Path, "origin.git"):
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "no, %s, not with %q", said, r.Header)
		case failing != 0:
			w.WriteHeader(failing)
			fmt.Fprintf(w, `{"detail": "%s is not what %q wants"}`, said, r.Header["Authorization"])
		default:
			svc.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	gittest.Git(t, dir, "remote", "add", "origin", strings.Replace(server.URL, "http://",
		"http://bot:"+password+"@", 1)+"/origin.git")
	text := fmt.Sprintf("[service]\nurl = %q\naccount_id = \"secrets\"\njob_timeout = \"5s\"\n[[project]]\nname = \"app\"\nid = %q\nrepository = %q\n%s", server.URL, sceneID, dir, settings+jsonFiles)
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "locsync.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := svc.EnsureProject(sceneID, "app", "en", []string{"de", "fr"}); err != nil {
		t.Fatal(err)
	}
	store, err := boltledger.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	client, err := service.New(service.Options{BaseURL: server.URL, AccountID: "secrets", APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var said bytes.Buffer
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewDevelopmentEncoderConfig()),
		zapcore.AddSync(&said), zap.DebugLevel))
	e := New(Parts{Config: cfg, Service: client, State: store, Log: log,
		Progress: func(d report.Doing) { fmt.Fprintln(&said, d.Project, d) }})
	failed := 0
	for _, failing = range []int{0, 401, 403, 400, 404, 409, 422, 500} {
		gittest.Write(t, dir, map[string]string{enApp: fmt.Sprintf(`{"a": "A %d"}`, failing)})
		sent, perr := e.Push(t.Context(), push.Options{})
		got, lerr := e.Pull(t.Context(), pull.Options{})
		for _, err := range []error{perr, lerr} {
			if err != nil {
				failed++
				fmt.Fprintf(&said, "%v %+v %#v\n", err, err, err)
			}
		}
		e.projects[0].prove(t.Context())
		fmt.Fprintln(&said, e.Ready())
		for _, v := range []any{sent, got, e.Status(t.Context())} {
			if err := json.NewEncoder(&said).Encode(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if failed < 14 {
		t.Errorf("only %d passes failed: what they say was not seen\n%s", failed, said.String())
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, password} {
		if i := strings.Index(said.String(), secret); i >= 0 {
			t.Errorf("said: %s", said.String()[max(0, i-300):i+40])
		}
		for _, folder := range []string{home, dir} {
			err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || path == filepath.Join(dir, ".git",
					"config") { // where the person wrote it
					return err
				}
				b, err := os.ReadFile(path)
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if bytes.Contains(b, []byte(secret)) {
					t.Errorf("%s holds %s", path, secret)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}
