package web

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/pass/engine"
)

const hookSecret = "s3cret"

// hookServer is the address over three projects: app follows branch main of acme/app, site the working tree of
// acme/site with its branch and main checked out, and local has no remote.
func hookServer(t *testing.T) http.Handler {
	return hookServerOf(t, []hooked{
		{"app", "git@github.com:Acme/app.git", "[project.push]\nsource = \"main\"\n[project.pull]\nbase = \"main\"\n"},
		{"site", "https://git.example.com/gitlab/acme/site.git", "[project.pull]\nbranch = \"translations\"\n"},
		{"local", "",
			"[project.push]\nsource = \"release/1\"\n[project.pull]\nbase = \"release/1\"\nbranch = \"l10n/1\"\n"},
	})
}

// hooked is a project at a git host.
type hooked struct{ name, remote, tables string }

func hookServerOf(t *testing.T, projects []hooked) http.Handler {
	t.Helper()
	gittest.Need(t)
	var text strings.Builder
	for _, p := range projects {
		repo := gittest.Init(t, map[string]string{"en.json": `{"a": "A"}`})
		if p.remote != "" {
			gittest.Git(t, repo, "remote", "add", "origin", p.remote)
		}
		fmt.Fprintf(&text,
			"[[project]]\nname = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n%s[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n", p.name, repo, p.tables)
	}
	file := filepath.Join(t.TempDir(), "locsync.toml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	store, err := boltledger.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(Options{Engine: engine.New(engine.Parts{Config: cfg, State: store, Log: zap.NewNop()}),
		Log: zap.NewNop(), WebhookSecret: hookSecret})
}

// deliver posts a webhook as a git host does, signed with the secret, and gives the answer.
func deliver(t *testing.T, h http.Handler, host string, body io.Reader, headers ...string) (int, string) {
	t.Helper()
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(content)
	sum := hex.EncodeToString(mac.Sum(nil))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhook/"+host,
		strings.NewReader(string(content)))
	r.SetBasicAuth("locsync", hookSecret) // Azure DevOps
	for name, value := range map[string]string{"X-Hub-Signature-256": "sha256=" + sum, "X-Hub-Signature": "sha256=" +
		sum, "X-Gitea-Signature": sum, "X-Gitlab-Token": hookSecret} {
		r.Header.Set(name, value)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer.Code, strings.TrimSpace(answer.Body.String())
}

// What the git hosts send for a push of a branch, shortened in its lists.
const (
	githubPush = `{"ref":"refs/heads/BRANCH","before":"6113728f27ae82c7b1a177c8d03f9e96e0adf246","after":"7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
"repository":{"id":186853002,"node_id":"MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=","name":"app","full_name":"acme/app","private":false,"owner":{"name":"acme","login":"acme"},
"html_url":"https://github.com/acme/app","git_url":"git://github.com/acme/app.git","ssh_url":"git@github.com:acme/app.git","clone_url":"https://github.com/acme/app.git","default_branch":"main"},
"pusher":{"name":"ada","email":"ada@example.org"},"created":false,"deleted":false,"forced":false,"base_ref":null,"compare":"https://github.com/acme/app/compare/6113728f27ae...7fd1a60b01f9",
"commits":[{"id":"7fd1a60b01f91b314f59955a4e4d4e80d8edf11d","message":"Say it better","added":[],"removed":[],"modified":["en.json"]}]}`
	gitlabPush = `{"object_kind":"push","event_name":"push","before":"95790bf891e76fee5e1747ab589903a6a1f80f22","after":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7","ref":"refs/heads/BRANCH",
"ref_protected":true,"checkout_sha":"da1560886d4f094c3e6c9ef40349f7d38b5d27d7","user_id":4,"user_username":"ada","project_id":15,
"project":{"id":15,"name":"site","web_url":"https://git.example.com/gitlab/acme/site","git_ssh_url":"git@git.example.com:acme/site.git","git_http_url":"https://git.example.com/gitlab/acme/site.git","path_with_namespace":"acme/site","default_branch":"main"},
"repository":{"name":"site","url":"git@git.example.com:acme/site.git","homepage":"https://git.example.com/gitlab/acme/site","visibility_level":0},"commits":[],"total_commits_count":4}`
	giteaPush = `{"ref":"refs/heads/BRANCH","before":"28e1879d029cb852e4844d9c718537df08844e03","after":"bffeb74224043ba2feb48d137756c8a9331c449a","compare_url":"https://gitea.example.com/acme/app/compare/28e1...bffe",
"commits":[{"id":"bffeb74224043ba2feb48d137756c8a9331c449a","message":"Say it better\n"}],
"repository":{"id":140,"owner":{"id":1,"login":"acme"},"name":"app","full_name":"acme/app","html_url":"https://gitea.example.com/acme/app","ssh_url":"ssh://git@gitea.example.com/acme/app.git","clone_url":"https://gitea.example.com/acme/app.git","default_branch":"main"},
"pusher":{"id":1,"login":"ada"},"sender":{"id":1,"login":"ada"}}`
)

// An event wakes the projects whose repository it names and that read its branch, and no others: a hook may be a
// whole organisation's. What cannot be told wakes all that it might be for.
func TestWebhookWakesItsProjects(t *testing.T) {
	t.Parallel()
	h := hookServer(t)
	on := func(push, branch string) string { return strings.ReplaceAll(push, "BRANCH", branch) }
	for _, c := range []struct{ name, host, body, headers, want string }{
		{"the branch that is pushed from", "github", on(githubPush, "main"), "", "202 looking: app"},
		{"the branch of translations", "github", on(githubPush, "l10n"), "", "202 looking: app"},
		{"a branch of work", "github", on(githubPush, "feature/l10n"), "",
			"200 heard; no project here is of that repository and looks at that branch"},
		{"a local project's branch at a known repository", "github", on(githubPush, "release/1"), "",
			"202 looking: local"},
		{"GitLab below a folder, checked out", "gitlab", on(gitlabPush, "main"), "", "202 looking: site"},
		{"GitLab, translations", "gitlab", on(gitlabPush, "translations"), "X-Gitlab-Event: System Hook",
			"202 looking: site"},
		{"GitLab, another", "gitlab", on(gitlabPush, "wip"), "",
			"200 heard; no project here is of that repository and looks at that branch"},
		{"Gitea", "gitea", on(giteaPush, "main"), "X-Gitea-Event: push", "202 looking: app"},
		{"another repository", "gitea", strings.ReplaceAll(on(giteaPush, "main"), "acme/app", "acme/new"), "",
			"200 heard; no project here is of that repository and looks at that branch"},
		{"no repository", "github", `{"ref":"refs/heads/main"}`, "", "202 looking: app, site"},
		{"no branch", "github", `{"repository":{"full_name":"acme/app"}}`, "", "202 looking: app, local"},
		{"as a form", "github", "payload=" + url.QueryEscape(on(githubPush, "l10n")), "", "202 looking: app"},
		{"as a form, a branch of work", "github", "payload=" + url.QueryEscape(on(githubPush, "wip")) + "&more=1", "",
			"200 heard; no project here is of that repository and looks at that branch"},
		{"a long form", "gitea", "payload=" + url.QueryEscape(on(githubPush,
			"l10n")[:len(githubPush)-10]+`"`+strings.Repeat("ä%", maxEvent)), "", "202 looking: app"},
		{"nothing that can be read", "github", `payload=%7B%22ref%22`, "", "202 looking: app, site, local"},
		{"no form", "github", `payload=%zz`, "", "202 looking: app, site, local"},
		{"empty", "github", ``, "", "202 looking: app, site, local"},
		{"a tag", "github", strings.ReplaceAll(githubPush, "refs/heads/BRANCH", "refs/tags/v1"), "",
			"200 heard; only pushes of branches are looked at"},
		{"GitLab's tag by system hook", "gitlab", strings.ReplaceAll(on(gitlabPush, "main"), `"push"`, `"tag_push"`),
			"X-Gitlab-Event: System Hook", "200 heard; only pushes of branches are looked at"},
		{"GitLab's new project", "gitlab", `{"event_name":"project_create","path_with_namespace":"acme/site"}`,
			"X-Gitlab-Event: System Hook", "200 heard; only pushes of branches are looked at"},
		{"ping", "github", `{"zen":"Design for failure."}`, "X-GitHub-Event: ping",
			"200 heard; only pushes are looked at"},
		{"pull request", "gitea", `{"action":"opened"}`, "X-Gitea-Event: pull_request",
			"200 heard; only pushes are looked at"},
		{"tag push hook", "gitlab", on(gitlabPush, "main"), "X-Gitlab-Event: Tag Push Hook",
			"200 heard; only pushes are looked at"},
		{"what it is about beyond the first part", "github", `{"commits":"` + strings.Repeat("x", maxEvent) +
			`","ref":"refs/heads/wip"}`, "", "202 looking: app, site, local"},
		{"a long list behind", "github", strings.TrimSuffix(on(githubPush, "wip"), "}") + `,"more":"` +
			strings.Repeat("x", 3*maxEvent) +
			`"}`, "", "200 heard; no project here is of that repository and looks at that branch"},
	} {
		var headers []string
		if name, value, ok := strings.Cut(c.headers, ": "); ok {
			headers = []string{name, value}
		}
		code, said := deliver(t, h, c.host, strings.NewReader(c.body), headers...)
		if got := fmt.Sprint(code, " ", said); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What Bitbucket and Azure DevOps send for a push, shortened.
const (
	cloudPush = `{"push":{"changes":[{"old":{"name":"BRANCH","type":"branch","target":{"type":"commit","hash":"1e65c05c1d5171631d92438a13901ca7dae9618c"}},
"new":{"name":"BRANCH","type":"branch","target":{"type":"commit","hash":"709d658dc5b6d6afcd46049c2f332ee3f515a67d"}},"created":false,"forced":false,"closed":false,"truncated":false}]},
"repository":{"type":"repository","full_name":"acme/cloud","name":"cloud","uuid":"{673a6070-3421-46c9-9d48-90745f7bfe8e}","links":{"html":{"href":"https://bitbucket.org/acme/cloud"}},
"project":{"type":"project","key":"ACME","name":"Acme"},"workspace":{"slug":"acme"}},"actor":{"type":"user","nickname":"ada"}}`
	cloudDelete    = `{"push":{"changes":[{"old":{"name":"main","type":"branch"},"new":null,"closed":true}]},"repository":{"full_name":"acme/cloud"}}`
	cloudTag       = `{"push":{"changes":[{"old":null,"new":{"name":"main","type":"tag"},"created":true}]},"repository":{"full_name":"acme/cloud"}}`
	dataCenterPush = `{"eventKey":"repo:refs_changed","date":"2026-11-19T09:00:00+1000","actor":{"name":"ada","id":1,"displayName":"Ada","active":true,"slug":"ada","type":"NORMAL"},
"repository":{"slug":"stash","id":84,"name":"Stash","scmId":"git","state":"AVAILABLE","forkable":true,"project":{"key":"ACME","id":84,"name":"Acme Project","public":false,"type":"NORMAL"},"public":false},
"changes":[{"ref":{"id":"refs/heads/BRANCH","displayId":"BRANCH","type":"BRANCH"},"refId":"refs/heads/BRANCH","fromHash":"ecddabb624f6f5ba43816f5926e580a5f680a932","toHash":"178864a7d521b6f5e720b386b2c2b0ef8563e0dc","type":"UPDATE"}]}`
	azurePush = `{"subscriptionId":"00000000-0000-0000-0000-000000000000","notificationId":3,"id":"03c164c2-8912-4d5e-8009-3707d5f83734","eventType":"git.push","publisherId":"tfs",
"message":{"text":"Ada pushed updates to azure:BRANCH."},"resource":{"commits":[{"commitId":"33b55f7cb7e7e245323987634f960cf4a6e6bc74","comment":"Say it better"}],
"refUpdates":[{"name":"refs/heads/BRANCH","oldObjectId":"aad331d8d3b131fa9ae03cf5e53965b51942618a","newObjectId":"33b55f7cb7e7e245323987634f960cf4a6e6bc74"}],
"repository":{"id":"278d5cd2-584d-4b63-824a-2ba458937249","name":"azure","url":"https://dev.azure.com/acme/_apis/git/repositories/278d5cd2","project":{"id":"6ce954b1","name":"My Project","state":"wellFormed"},
"defaultBranch":"refs/heads/main","remoteUrl":"https://dev.azure.com/acme/My%20Project/_git/azure"},"pushedBy":{"displayName":"Ada"},"pushId":14,"date":"2026-11-19T19:17:33Z"},
"resourceVersion":"1.0","createdDate":"2026-11-19T19:17:34Z"}`
)

// Bitbucket's and Azure DevOps' events wake whom they concern, and only who knows the secret is believed.
func TestWebhooksThatListChanges(t *testing.T) {
	const tables = "[project.push]\nsource = \"main\"\n[project.pull]\nbase = \"main\"\n"
	h := hookServerOf(t, []hooked{
		{"cloud", "git@bitbucket.org:acme/cloud.git", tables},
		{"stash", "https://bitbucket.example.com/scm/acme/stash.git", tables},
		{"azure", "git@ssh.dev.azure.com:v3/acme/My%20Project/azure", tables},
	})
	on := func(push, branch string) string { return strings.ReplaceAll(push, "BRANCH", branch) }
	const none, tags = "200 heard; no project here is of that repository and looks at that branch", "200 heard; only pushes of branches are looked at"
	two := func(push, one, other string) string { return strings.Replace(push, one, one+","+other, 1) }
	for _, c := range []struct{ name, host, body, headers, want string }{
		{"Cloud", "bitbucket", on(cloudPush, "main"), "X-Event-Key: repo:push", "202 looking: cloud"},
		{"Cloud, translations", "bitbucket", on(cloudPush, "l10n"), "X-Event-Key: repo:push", "202 looking: cloud"},
		{"Cloud, another branch", "bitbucket", on(cloudPush, "wip"), "X-Event-Key: repo:push", none},
		{"Cloud, a branch that is deleted", "bitbucket", cloudDelete, "X-Event-Key: repo:push", "202 looking: cloud"},
		{"Cloud, a tag", "bitbucket", cloudTag, "X-Event-Key: repo:push", tags},
		{"Cloud, two branches", "bitbucket", two(on(cloudPush, "wip"), `"truncated":false}`,
			`{"old":null,"new":{"name":"main","type":"branch"}}`), "", "202 looking: cloud"},
		{"Cloud, as many as it names", "bitbucket", `{"push":{"changes":[` +
			strings.Repeat(`{"new":{"name":"t","type":"tag"}},`, 4) +
			`{"new":{"name":"t","type":"tag"}}]},"repository":{"full_name":"acme/cloud"}}`,
			"", "202 looking: cloud"},
		{"Cloud, a request", "bitbucket", `{"pullrequest":{}}`, "X-Event-Key: pullrequest:created",
			"200 heard; only pushes are looked at"},
		{"Data Center", "bitbucket", on(dataCenterPush, "main"), "X-Event-Key: repo:refs_changed",
			"202 looking: stash"},
		{"Data Center, another branch", "bitbucket", on(dataCenterPush, "wip"), "X-Event-Key: repo:refs_changed", none},
		{"Data Center, a tag", "bitbucket", strings.ReplaceAll(dataCenterPush, "refs/heads/BRANCH", "refs/tags/v1"),
			"X-Event-Key: repo:refs_changed", tags},
		{"Data Center's test", "bitbucket", `{"test": true}`, "X-Event-Key: diagnostics:ping",
			"200 heard; only pushes are looked at"},
		{"a wrong signature", "bitbucket", on(cloudPush, "main"), "X-Hub-Signature: sha256=" + strings.Repeat("0", 64),
			"403 the signature does not fit the secret"},
		{"no signature", "bitbucket", on(cloudPush, "main"), "X-Hub-Signature: ",
			"403 the signature does not fit the secret"},
		{"Azure", "azure", on(azurePush, "main"), "", "202 looking: azure"},
		{"Azure, another branch", "azure", on(azurePush, "wip"), "", none},
		{"Azure, a tag", "azure", strings.ReplaceAll(azurePush, "refs/heads/BRANCH", "refs/tags/v1"), "", tags},
		{"Azure, another repository", "azure", strings.ReplaceAll(on(azurePush, "main"), `"azure"`, `"other"`), "",
			none},
		{"Azure, a request", "azure", `{"eventType":"git.pullrequest.created"}`, "", tags},
		{"Azure, a wrong password", "azure", on(azurePush, "main"), "Authorization: Basic bG9jc3luYzp3cm9uZw==",
			"403 the password of its basic authentication does not fit the secret"},
		{"Azure, no password", "azure", on(azurePush, "main"), "Authorization: ",
			"403 the password of its basic authentication does not fit the secret"},
	} {
		name, value, _ := strings.Cut(c.headers, ": ")
		var headers []string
		if name != "" {
			headers = []string{name, value}
		}
		code, said := deliver(t, h, c.host, strings.NewReader(c.body), headers...)
		if got := fmt.Sprint(code, " ", said); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, header := range []string{"X-Request-UUID", "X-Request-Id"} {
		for _, want := range []string{"looking: cloud", "heard before"} {
			if _, got := deliver(t, h, "bitbucket", strings.NewReader(on(cloudPush, "main")),
				header, header); got != want {
				t.Errorf("%s: %s, want %s", header, got, want)
			}
		}
	}
}

// A delivery that comes again is heard once. After a forged one the true one is no repetition; identifiers
// of one host are not another's; and what is remembered is bounded.
func TestWebhookOnce(t *testing.T) {
	h := hookServer(t)
	body := strings.ReplaceAll(githubPush, "BRANCH", "main")
	say := func(host, header, id string, more ...string) string {
		_, said := deliver(t, h, host, strings.NewReader(body), append([]string{header, id}, more...)...)
		return said
	}
	if got := say("github", "X-GitHub-Delivery", "1", "X-Hub-Signature-256", "sha256="+strings.Repeat("0",
		64)); !strings.Contains(got, "does not fit") {
		t.Errorf("forged: %s", got)
	}
	for host, header := range map[string]string{"github": "X-GitHub-Delivery", "gitlab": "X-Gitlab-Event-UUID",
		"gitea": "X-Forgejo-Delivery"} {
		if got := say(host, header, "1"); got != "looking: app" {
			t.Errorf("%s: %s", host, got)
		}
		if got := say(host, header, "1"); got != "heard before" {
			t.Errorf("%s again: %s", host, got)
		}
	}
	if a, b := say("gitlab", "Idempotency-Key", "k", "X-Gitlab-Event-UUID", "2"), say("gitlab", "Idempotency-Key", "k",
		"X-Gitlab-Event-UUID", "3"); a != "looking: app" || b != "heard before" {
		t.Errorf("%s, then %s", a, b)
	}
	var past deliveries
	for i := range 3 * maxHeard {
		if !past.first(fmt.Sprint(i)) || past.first(fmt.Sprint(max(0, i-maxHeard+1))) {
			t.Fatalf("identifier %d", i)
		}
	}
	if len(past.ids) != maxHeard || !past.first("0") {
		t.Errorf("%d identifiers are remembered", len(past.ids))
	}
}

// A body that is too large is refused, and one of any size costs little memory before its signature is known.
func TestWebhookSize(t *testing.T) {
	h := hookServer(t)
	for _, c := range []struct {
		size, want int
	}{{maxWebhook - 1000, http.StatusForbidden}, {maxWebhook + 1, http.StatusRequestEntityTooLarge}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhook/github",
			io.LimitReader(spaces{}, int64(c.size)))
		r.Header.Set("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64))
		answer := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h.ServeHTTP(answer, r)
		runtime.ReadMemStats(&after)
		if answer.Code != c.want {
			t.Errorf("%d bytes: %d, want %d", c.size, answer.Code, c.want)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > maxWebhook/2 {
			t.Errorf("%d bytes took %d bytes of memory", c.size, got)
		}
	}
}

type spaces struct{}

func (spaces) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// tells are the members by which an event says what it is of; a name may be written with escapes.
var tells = regexp.MustCompile(`"(ref|event_name|object_kind|eventType|push|changes|resource)"|\\u`)

// No event of any content makes the reader fail; what it finds is what stands there.
func FuzzReadPush(f *testing.F) {
	for _, seed := range []string{githubPush, gitlabPush, giteaPush, cloudPush, dataCenterPush, azurePush, `{`, `[]`,
		`{"ref":1}`, `{"ref":"refs/heads/a","ref":"refs/tags/b"}`, `{"repository":null}`,
		"payload=" + url.QueryEscape(giteaPush), "payload=%7b%22ref%22%3", "payload=%zz&", `{"eventType":"git.\"pub"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, event []byte) {
		push, ok := readPush(event)
		if form, is := bytes.CutPrefix(event, []byte("payload=")); is {
			event = unescaped(form)
		}
		if !ok && !tells.Match(event) {
			t.Errorf("%q is no push, and none of its members tells so", event)
		}
		if ok && push.Branch != "" && !strings.Contains(string(event), `\`) && !strings.Contains(string(event),
			push.Branch) && strings.ToValidUTF8(push.Branch, "") == string(push.Branch) &&
			!strings.Contains(push.Branch, "�") {
			t.Errorf("%q: branch %q", event, push.Branch)
		}
	})
}

// Wherever the beginning of a form ends, its value is the beginning of what was sent.
func TestFormIsCutAnywhere(t *testing.T) {
	const text = `{"ref":"refs/heads/größe","a":"100%"}`
	form := url.QueryEscape(text)
	for i := range len(form) + 1 {
		if got := string(unescaped([]byte(form[:i]))); !strings.HasPrefix(text, got) || i > 3 && got == "" {
			t.Errorf("the first %d bytes are %q", i, got)
		}
	}
	if got := string(unescaped([]byte(form + "&more=%zz"))); got != text {
		t.Errorf("%q", got)
	}
}
