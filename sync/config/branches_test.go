package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const projectHead = `
[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
`

const projectFiles = `
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
`

func parsed(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("locsync.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBaseInBranch(t *testing.T) {
	for text, want := range map[string]struct {
		branch, base string
		perBranch    bool
	}{
		"[project.pull]\nbase = \"release/1\"\nbranch = \"l10n/{base}\"":                                        {"l10n/release/1", "release/1", false},
		"[project.pull]\nbase = \"release/1\"\nbranch = \"l10n-{BRANCH}-x\"":                                    {"l10n-release/1-x", "release/1", false},
		"[project.push]\nsource = \"trunk\"\n[project.pull]\nbranch = \"l10n/{base}\"":                          {"l10n/trunk", "trunk", false},
		"[project.pull]\nbranch = \"l10n/{base}\"":                                                              {"l10n/{base}", "", true},
		"[project.pull]\nbranch = \"{base}\"":                                                                   {"{base}", "", true},
		"[project.push]\nsource = \"trunk\"\nbranches = [\"f/*\"]\n[project.pull]\nbranch = \"l/{base}\"\n#own": {"l/{base}", "", true},
	} {
		files := projectFiles
		if strings.HasSuffix(text, "#own") {
			files += "collection = \"{BRANCH}\"\n"
		}
		p := parsed(t, projectHead+text+files).Projects[0]
		if p.Pull.Branch != want.branch || p.Pull.Base != want.base || p.PerBranch() != want.perBranch {
			t.Errorf("%s\ngives branch %q, base %q, per branch %v", text, p.Pull.Branch, p.Pull.Base, p.PerBranch())
		}
	}
}

func TestProjectOfABranch(t *testing.T) {
	p := &parsed(t, projectHead+"[project.push]\nbranches = [\"main\", \"feature/*\"]\n[project.pull]\nbranch = \"l10n/{base}\"\n"+projectFiles+"collection = \"{BRANCH}-{NAME}\"\n").Projects[0]
	on, err := p.On("feature/x")
	if err != nil {
		t.Fatal(err)
	}
	file, _ := on.Files[0].SourceFile("en/app.json")
	if on.Pull.Base != "feature/x" || on.Pull.Branch != "l10n/feature/x" || on.PerBranch() || !on.Push.Covers("feature/x") || on.Push.Covers("main") ||
		on.Files[0].CollectionOf(file) != "feature/x-app" || p.Files[0].Collection != "{BRANCH}-{NAME}" {
		t.Errorf("%+v", on)
	}
	for branch, want := range map[string]bool{"main": true, "feature/x": true, "": false, "wip": false, "l10n/main": false, "l10n/feature/x": false} {
		if p.Translates(branch) != want {
			t.Errorf("Translates(%q) is %v", branch, !want)
		}
	}
	if p.Trunk() != "main" {
		t.Errorf("the trunk is %q", p.Trunk())
	}
	for _, branch := range []string{"a,b", "a{b}"} { // git allows both
		if _, err := p.On(branch); err == nil || !strings.Contains(err.Error(), branch) {
			t.Errorf("On(%q): %v", branch, err)
		}
	}
}

// What is wrong with branches is said with its line and key.
func TestBranchProblems(t *testing.T) {
	own := projectFiles + "collection = \"{BRANCH}\"\n"
	pull := func(text string) string { return projectHead + "[project.pull]\n" + text + "\n" }
	for _, c := range []struct{ text, line, want string }{
		{pull(`branch = "l10n"`) + own, "project.pull.branch", "put {base} into it"},
		{pull("base = \"main\"\nbranch = \"l10n/{base}\"") + own, "project.pull.base", "each branch is its own base"},
		{pull(`branch = "{base}/l10n"`) + own, "project.pull.branch", "would lie below the branch"},
		{pull("base = \"release\"\nbranch = \"release/l10n\"") + projectFiles, "project.pull.branch", "git cannot have both branches"},
		{pull(`branch = "l10n..{base}"`) + projectFiles, "project.pull.branch", "is not the name of a branch"},
		{pull(`branch = "l10n/{name}"`) + projectFiles, "project.pull.branch", ""},
		{projectHead + "[project.push]\nbranches = [\"main\"]\n[project.pull]\nbranch = \"main/{base}\"\n" + projectFiles, "project.pull.branch", "both branches main and main/{base}"},
		{pull(`branch = "l10n"`) + projectFiles + strings.Replace(pull(`branch = "l10n/{base}"`), `"app"`, `"other"`, 1) + strings.ReplaceAll(projectFiles, "en/", "source/"), "project.pull.branch", "both branches l10n/{base} and l10n"},
		{pull("branch = \"{base}\"\n[project.pull.request]\nkind = \"agit\"") + own, "project.pull.request.kind", "each branch to be merged into itself"},
		{projectHead + "[project.push]\nsource = \"main\"\n[project.pull]\nbranch = \"{base}\"\n[project.pull.request]\nkind = \"agit\"\n" + projectFiles, "project.pull.request.kind", "merged into itself"},
	} {
		_, err := Parse("locsync.toml", []byte(c.text))
		problems, _ := errors.AsType[Problems](err)
		if c.want == "" { // braces are allowed in the names of branches
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Line > 1 && p.Key == c.line && strings.Contains(p.Message, c.want) }) {
			t.Errorf("%s\nsays %v, want %s: %s", c.text, err, c.line, c.want)
		}
	}
}

func TestRepositoryElsewhere(t *testing.T) {
	at := func(address string) string {
		return strings.Replace(projectHead, "source_language", fmt.Sprintf("repository = %q\nsource_language", address), 1) + projectFiles
	}
	for _, address := range []string{"https://git.example.com/team/app.git", "ssh://git@example.com:2222/app", "git@example.com:team/app.git", "file:///srv/git/app.git"} {
		c := parsed(t, at(address))
		if p := c.Projects[0]; !p.Cloned() || p.Push.Source != "" || len(c.Warnings) > 0 {
			t.Errorf("%s: %+v %v", address, p.Push, c.Warnings)
		}
	}
	for _, path := range []string{".", "../app", "/srv/app:old", `C:\app`, "a@b/c:d"} {
		if (&Project{Repository: path}).Cloned() {
			t.Errorf("%s is taken for an address", path)
		}
	}
	c := parsed(t, at("http://me:secret@git.example.com/app.git"))
	address, user, password := c.Projects[0].Address()
	if address != "http://git.example.com/app.git" || user != "me" || password.Reveal() != "secret" || len(c.Warnings) != 2 {
		t.Errorf("%s, %s, %v", address, user, c.Warnings)
	}
	if strings.Contains(fmt.Sprint(c.Warnings), "secret") {
		t.Errorf("%v", c.Warnings)
	}
	for text, want := range map[string]string{
		at("ftp://example.com/app"):                                       "not a known kind of address of a repository",
		at("https://example.com/"):                                        "must have a host and a path",
		at("https://example.com/app?x=1"):                                 "no ? and no #",
		at("https://me:secret@example.com/%zz"):                           "not an address that can be read",
		at("https://e.com/a") + "[project.push]\nsource = \"worktree\"\n": "has no working tree",
		at("https://e.com/a") + "[project.pull]\nremote = \"\"\n":         "has one remote",
		at(".") + "[project.push]\nsource = \"\"\n":                       `must be "worktree" or the name of a branch`,
	} {
		_, err := Parse("locsync.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s\nsays %v, want %s", text, err, want)
		}
	}
}
