package gitops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// optionsHook writes the options that reach it, one a line, and prints what a forge prints.
const optionsHook = `
i=0; while [ $i -lt ${GIT_PUSH_OPTION_COUNT:-0} ]; do eval "echo \"\$GIT_PUSH_OPTION_$i\"" >>'LOG'; i=$((i+1)); done
echo push >>'LOG'
echo >&2; echo "View merge request for l10n:" >&2; echo "  https://gitlab.example.com/acme/app/-/merge_requests/7" >&2; echo >&2`

// Push options reach the remote's hooks whatever way is taken to it, and a remote that takes none gets the commit all
// the same.
func TestPushOptions(t *testing.T) {
	t.Parallel()
	options := []string{"merge_request.create", "merge_request.target=main",
		"merge_request.title=Übersetzungen: a=b, \"c\" 'd'"}
	for name, c := range map[string]struct{ http, takes bool }{"http": {true, true}, "http, takes none": {true, false},
		"folder": {false, true}, "folder, takes none": {false, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			log := filepath.Join(t.TempDir(), "log")
			gittest.Hook(t, bare, "post-receive", strings.ReplaceAll(optionsHook, "LOG", log))
			gittest.Git(t, bare, "config", "receive.advertisePushOptions", strconv.FormatBool(c.takes))
			if c.http {
				gittest.Git(t, dir, "remote", "set-url", "origin", gittest.Serve(t, bare, gittest.Options{}))
			}
			r := open(t, dir, Options{Remote: "origin"})
			tip := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
			if _, err := r.Push(t.Context(), tip, "two\nlines"); err == nil ||
				!strings.Contains(err.Error(), "one line") {
				t.Errorf("an option of two lines: %v", err)
			}
			res, err := r.Push(t.Context(), tip, options...)
			if err != nil {
				t.Fatal(err)
			}
			if got := gittest.Git(t, bare, "rev-parse", "l10n"); got != tip.Hash() || !res.Pushed {
				t.Errorf("the remote has %s, not %s (%+v)", got, tip.Hash(), res)
			}
			if res.NoPushOptions == c.takes || res.Offer != "https://gitlab.example.com/acme/app/-/merge_requests/7" {
				t.Errorf("deaf %v, offer %q", res.NoPushOptions, res.Offer)
			}
			want := "push\n"
			if c.takes {
				want = strings.Join(options, "\n") + "\npush\n"
			}
			got, err := os.ReadFile(log)
			if text := strings.Replace(string(got), "create=\n", "create\n", 1); err != nil || text != want {
				t.Errorf("the hook saw %q, want %q (%v)", text, want, err)
			}
		})
	}
}

// A commit that its branch has already is proposed for base without moving anything, and the same once more is a
// refusal in the server's words.
func TestPropose(t *testing.T) {
	t.Parallel()
	for name, http := range map[string]bool{"http": true, "folder": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			proposed := gittest.AGit(t, bare)
			if http {
				gittest.Git(t, dir, "remote", "set-url", "origin", gittest.Serve(t, bare, gittest.Options{}))
			}
			r := open(t, dir, Options{Remote: "origin"})
			tip := commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("a", "1"))
			push(t, r, tip)
			refs := gittest.Git(t, bare, "for-each-ref")
			res, err := r.Propose(t.Context(), tip, "main", "topic=l10n", "title=New translations")
			if err != nil || res.Offer != "https://gitea.example.com/acme/app/pulls/3" {
				t.Fatalf("%+v, %v", res, err)
			}
			if got, want := proposed(), fmt.Sprintf("refs/for/main %s [%q %q]\n", tip.Hash(), "topic=l10n",
				"title=New translations"); got != want {
				t.Errorf("the server heard %q, want %q", got, want)
			}
			if _, err = r.Propose(t.Context(), tip, "main", "topic=l10n"); !errors.Is(err, ErrRefused) ||
				!strings.Contains(err.Error(), "new commit is same with old commit") {
				t.Errorf("the same once more: %v", err)
			}
			if now := gittest.Git(t, bare, "for-each-ref"); now != refs {
				t.Errorf("references were\n%s\nand are\n%s", refs, now)
			}
			gittest.Sound(t, bare)
		})
	}
}
