package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// disputed is a world whose project app has one conflict, and a visitor whose browser is unlocked.
func disputed(t *testing.T) (*world, *visitor) {
	t.Helper()
	w := newWorld(t, "", withToken, worldProject{name: "app", languages: []string{"de"},
		files: map[string]string{"locales/en/ui.json": keys("ui", 3)},
		more: "[project.pull]\nremote = \"\"\nbranch = \"l10n\"\n" +
			"completion_state = \"draft\""})
	w.push("app")
	w.pull("app")
	w.conflict("app", "ui.key001", "Unser Text", "Ihr Text")
	v := newVisitor(t, w.server.Config.Handler)
	v.asks("/unlock", "token", pageToken)
	return w, v
}

// offered are the words that the page's forms of conflicts carry.
func offered(v *visitor) (conflicts []string) {
	page := v.asks("/").Body.String()
	for _, found := range regexp.MustCompile(`name="conflict" value="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		conflicts = append(conflicts, found[1])
	}
	return conflicts
}

// settled waits until the page offers no conflict.
func settled(t *testing.T, v *visitor) {
	t.Helper()
	for end := time.Now().Add(time.Minute); len(offered(v)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the conflict is still there")
		}
	}
}

// A conflict is decided by a button for either side, as push --ours and --theirs do it.
func TestDecideOnThePage(t *testing.T) {
	for side, want := range map[string]string{"ours": "Unser Text", "theirs": "Ihr Text"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			w, v := disputed(t)
			conflicts := offered(v)
			if len(conflicts) != 1 {
				t.Fatalf("the page offers %d conflicts", len(conflicts))
			}
			answer := v.asks("/ask", "nonce", v.nonce(), "project", "app", "conflict", conflicts[0], "action", side)
			if answer.Code != http.StatusSeeOther {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}
			settled(t, v)
			w.pull("app")
			if got := gittest.Git(t, w.repos["app"], "show", "l10n:locales/de/ui.json"); !strings.Contains(got, want) {
				t.Errorf("the branch has\n%s", got)
			}
		})
	}
}

// A decision counts for the texts that were seen, by somebody who may decide, and for a side; else nothing is done.
func TestNoDecision(t *testing.T) {
	t.Parallel()
	w, v := disputed(t)
	seen, nonce := offered(v)[0], v.nonce()
	stranger := newVisitor(t, w.server.Config.Handler)
	if answer := stranger.asks("/ask", "nonce", nonce, "project", "app", "conflict", seen, "action",
		"ours"); answer.Code != http.StatusForbidden {
		t.Errorf("a stranger: %d", answer.Code)
	}
	if answer := v.asks("/ask", "nonce", nonce, "project", "app", "conflict", seen, "action",
		"both"); answer.Code != http.StatusBadRequest {
		t.Errorf("both sides: %d", answer.Code)
	}
	v.asks("/ask", "nonce", nonce, "project", "app", "conflict", strings.Repeat("0", len(seen)), "action", "ours")
	if page := v.asks("/").Body.String(); !strings.Contains(page, "nothing was done") || offered(v)[0] != seen {
		t.Errorf("a conflict that was not seen was decided:\n%s", page)
	}
}

// Badges and the table say what the status says, and only of what there is.
func TestBadgesAndTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil, worldProject{name: "app", languages: []string{"de", "pt-BR"}, files: map[string]string{
		"locales/en/ui.json": keys("ui", 4), "locales/de/ui.json": keys("ui", 4), "locales/pt-BR/ui.json": keys("ui",
			1)}})
	v := newVisitor(t, w.server.Config.Handler)
	for path, want := range map[string]string{"/badge/app/de.svg": "German (de): 100 %",
		"/badge/app/pt-BR.svg": "(pt-BR): 25 %"} {
		answer := v.asks(path)
		if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "image/svg+xml" ||
			!strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
	for _, path := range []string{"/badge/app/fr.svg", "/badge/other/de.svg", "/badge/app/de", "/badge/app/de.svg/x"} {
		if answer := v.asks(path); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
	want := "project,language,name,keys,missing,held back,to push,percent\napp,de,German,4,0,0,"
	if got := v.asks("/api/status.csv").Body.String(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 3 {
		t.Errorf("the table is\n%s", got)
	}
}
