package config

import (
	"io/fs"
	"strings"
	"testing"
)

// withRequest is the smallest configuration with a [project.pull.request] that says this.
func withRequest(t *testing.T, pull, request string) (*Config, error) {
	t.Helper()
	return Parse("locsync.toml", []byte(smallest+"\n[project.pull]\n"+pull+"\n[project.pull.request]\n"+request+"\n"))
}

func TestRequestProblems(t *testing.T) {
	for _, c := range []struct{ pull, request, says string }{
		{"", `kind = "github"`, ""},
		{"", "kind = \"gitlab\"\nurl = \"https://example.com/gitlab\"\nrepository = \"group/sub/app\"\nlabels = [\"l10n\", \"needs: review\"]\nremove_branch = true", ""},
		{"", `kind = "gitea"` + "\nurl = \"http://127.0.0.1:3000\"", ""},
		{"", "kind = \"bitbucket\"\nremove_branch = true", ""},
		{"", "kind = \"bitbucket\"\nlabels = [\"l10n\"]", `pull.request.labels: pull requests have none at Bitbucket; leave them out`},
		{"", "kind = \"azure\"\nrepository = \"acme/My Project/app\"\nlabels = [\"l10n\"]", ""},
		{"", "kind = \"gitea\"\nrepository = \"acme/my app\"", `"acme/my app" is not the name of a repository`},
		{"", `kind = "githib"`, `pull.request.kind: "githib" is not allowed; one of none, options, agit, github, gitlab, gitea, bitbucket, azure; did you mean github?`},
		{"", `king = "github"`, "did you mean kind?"},
		{"", `url = "git.example.com"`, "is not an address with scheme and host"},
		{"", `url = "http://git.example.com"`, "http would send the token unprotected"},
		{"", `url = "https://ada:secret@git.example.com"`, "must not hold a user or password"},
		{"", `repository = "app"`, `"app" is not the name of a repository at a forge`},
		{"", `repository = "acme//app"`, "is not the name of a repository"},
		{"", `title = "{{ .Language }}"`, "pull.request.title: line 1"},
		{"", `title = "{{ if false }}x{{ end }}"`, "title: must yield a text"},
		{"", `body = "{{ .Nothing }}"`, "pull.request.body: line 1"},
		{"", `body = ""`, ""},
		{"", `labels = ["l10n", "a,b"]`, `"a,b" is not a label`},
		{"", `token_env = "ghp_abc-def"`, "must be the name of an environment variable (letters, digits, _), not the secret itself"},
		{"", "kind = \"github\"\nremove_branch = true", `goes with kind = "options", "gitlab" or "bitbucket" only`},
		{"", "kind = \"github\"\napp_id = \"Iv23liAbC\"", ""},
		{"", "kind = \"gitlab\"\napp_id = \"1\"", `goes with kind = "github" only`},
		{"", "kind = \"github\"\napp_id = \"../1\"", "is not the App's number or client ID"},
		{`remote = ""`, `kind = "options"`, "needs a remote"},
		{"base = \"main\"\nbranch = \"main\"", `kind = "gitlab"`, "asks for main to be merged into itself"},
	} {
		_, err := withRequest(t, c.pull, c.request)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.request, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.request, err, c.says)
		}
		if err != nil && (strings.Contains(err.Error(), "ghp_abc") || strings.Contains(err.Error(), "ada:secret")) {
			t.Errorf("a secret is shown: %v", err)
		}
	}
}

func TestForgeToken(t *testing.T) {
	for _, c := range []struct {
		name, request string
		env, files    map[string]string
		want, says    string
	}{
		{"none needed", `kind = "options"`, nil, nil, "", ""},
		{"environment first", "kind = \"github\"\ntoken_file = \"t\"", map[string]string{"LOCSYNC_FORGE_TOKEN": canary, "CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"t": "f", "/run/c/forge_token": "c"}, canary, ""},
		{"then the file", "kind = \"github\"\ntoken_file = \"t\"", map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"t": "f\n", "/run/c/forge_token": "c"}, "f", ""},
		{"then the credential", `kind = "gitea"`, map[string]string{"CREDENTIALS_DIRECTORY": "/run/c"}, map[string]string{"/run/c/forge_token": "c\n"}, "c", ""},
		{"nothing", `kind = "gitlab"`, nil, nil, "", "locsync.toml:12: project.pull.request.token_env: no token for gitlab: set the environment variable LOCSYNC_FORGE_TOKEN, or name a file in token_file"},
		{"no such file", "kind = \"github\"\ntoken_file = \"t\"", nil, nil, "", "project.pull.request.token_file: read the secret"},
		{"an App's key", "kind = \"github\"\napp_id = \"1\"\ntoken_file = \"t\"", nil, map[string]string{"t": "-----\n" + canary + "\n-----\n"}, "-----\n" + canary + "\n-----", ""},
		{"an App's key in a variable", "kind = \"github\"\napp_id = \"1\"", map[string]string{"LOCSYNC_FORGE_TOKEN": `-----\n` + canary}, nil, "-----\n" + canary, ""},
		{"two lines", "kind = \"github\"\ntoken_file = \"t\"", nil, map[string]string{"t": canary + "\nb"}, "", "more than one line"},
	} {
		cfg, err := withRequest(t, "", c.request)
		if err != nil {
			t.Fatal(err)
		}
		s, err := cfg.ForgeToken(&cfg.Projects[0], func(name string) string { return c.env[name] }, func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if s.Reveal() != c.want || (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, s.Reveal(), err, c.want, c.says)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("%s: the token is shown: %v", c.name, err)
		}
	}
}

// The texts that hold where nothing is configured.
func TestRequestTexts(t *testing.T) {
	q := defaultRequest()
	data := RequestData{Languages: []string{"de", "fr"}, Added: 2, Changed: 1, Table: "| a |\n| - |"}
	title, body, err := q.Texts(data)
	want := "2 translations added, 1 changed, 0 removed.\n\n| a |\n| - |"
	if err != nil || title != "Update translations (de, fr)" || body != want {
		t.Errorf("%q, %q, %v", title, body, err)
	}
	data.HeldBack = []string{"fr.json: \"a\": it lacks `%s`, ask @ada, closes #1"}
	if _, body, _ = q.Texts(data); body != want+"\n\nLeft out:\n\n- ``fr.json: \"a\": it lacks `%s`, ask @ada, closes #1``" {
		t.Errorf("%q", body)
	}
}
