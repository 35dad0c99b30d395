package config

import (
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/secret"
)

// Request is the pull or merge request from Pull.Branch to Pull.Base: who makes it, and what it says.
type Request struct {
	// Kind is none, options (GitLab makes it, told by push options), agit (Gitea or Forgejo make it of a push to
	// refs/for/<base>), or the forge whose API is asked: github, gitlab, gitea (Forgejo too), bitbucket (Cloud and Data
	// Center), azure. The first three need no token.
	Kind string `toml:"kind" enum:"none,options,agit,github,gitlab,gitea,bitbucket,azure"`
	// URL is the forge's address: scheme, host, and a path where the forge is below one. Empty: guessed from the
	// remote's.
	URL string `toml:"url"`
	// Repository is the repository's name at the forge: owner/name, at GitLab with all its groups, at Azure DevOps
	// organisation/project/name. Empty: guessed from the remote's address.
	Repository string `toml:"repository"`
	// Title is a text/template with the fields of RequestData, and the functions join and code.
	Title string `toml:"title"`
	// Body is a text/template like Title, in Markdown. Agit sends none.
	Body string `toml:"body"`
	// Labels are the labels that the request carries; agit and bitbucket know none. At Gitea and Forgejo they must exist.
	Labels []string `toml:"labels"`
	// RemoveBranch asks for the branch to be deleted after the merge; options, gitlab and bitbucket (Cloud) only.
	RemoveBranch bool `toml:"remove_branch"`
	// TokenEnv names the environment variable that holds the token. It is looked at first.
	TokenEnv string `toml:"token_env"`
	// TokenFile is a file that holds the token, relative to the configuration file; after it, the systemd credential
	// forge_token is looked at.
	TokenFile string `toml:"token_file"`
	// AppID is the number or client ID of a GitHub App that makes the request. The secret that TokenEnv, TokenFile or the
	// credential gives is its private key then, in PEM; empty: it is a token.
	AppID string `toml:"app_id"`
}

// Kinds of requests.
const (
	RequestNone    = "none"
	RequestOptions = "options"
	RequestAGit    = "agit"
)

// Forge reports whether a forge's API is called, which takes a token.
func (q *Request) Forge() bool {
	return !slices.Contains([]string{RequestNone, RequestOptions, RequestAGit}, q.Kind)
}

func defaultRequest() Request {
	return Request{Kind: RequestNone, Title: `Update translations ({{ join .Languages ", " }})`, Body: defaultBody,
		TokenEnv: "LOCSYNC_FORGE_TOKEN"}
}

const defaultBody = `{{ .Added }} translations added, {{ .Changed }} changed, {{ .Removed }} removed.

{{ .Table }}
{{- if .HeldBack }}

Left out:
{{ range .HeldBack }}
- {{ code . }}
{{- end }}
{{- end }}
`

// RequestData is what the texts of a request may speak of: what the branch has that its base lacks.
type RequestData struct {
	Project, Branch, Base   string
	Languages               []string       // codes of the languages that differ, sorted
	Files                   []string       // paths that differ, sorted
	Counts                  []RequestCount // by language, sorted
	Keys                    int            // added, changed and removed, over all languages
	Added, Changed, Removed int
	HeldBack                []string // what the last pull left out, and why
	Table                   string   // of Counts, in Markdown
}

// RequestCount is how many translations of a language differ.
type RequestCount struct {
	Language                          string
	Added, Changed, Removed, Complete int      // Complete: percent of the source's keys that have a translation
	Translators                       []string // names, who confirmed most first
	Others, Machine                   int      // people who are not among them; words that no person has confirmed
}

// Texts are title and body for what the branch has.
func (q *Request) Texts(data RequestData) (title, body string, err error) {
	if title, err = fillRequest("title", q.Title, data); err != nil {
		return "", "", err
	}
	body, err = fillRequest("body", q.Body, data)
	return strings.Join(strings.Fields(title), " "), body, err
}

func fillRequest(name, text string, data RequestData) (string, error) {
	return bound.Text(name, text, 1<<20, template.FuncMap{"code": bound.Code}, data)
}

// ForgeToken is the token for a project's forge: from token_env, else token_file, else the systemd credential
// forge_token. It is empty where none is needed. The error is Problems naming every place that was looked at.
func (c *Config) ForgeToken(p *Project, getenv func(string) string,
	readFile func(string) ([]byte, error)) (secret.Value, error) {
	q := &p.Pull.Request
	if !q.Forge() {
		return secret.Value{}, nil
	}
	at := p.origin.at("pull").at("request")
	source := secret.Source{Env: q.TokenEnv, File: q.TokenFile, Credential: "forge_token", Lines: q.AppID != ""}
	s, err := c.secretOf(at.at("token"), source, getenv, readFile)
	if err != nil || !s.IsZero() {
		return s, err
	}
	env := "name a variable in token_env"
	if q.TokenEnv != "" {
		env = "set the environment variable " + q.TokenEnv
	}
	return secret.Value{}, Problems{at.at("token_env").problem("no token for %s: %s, or name a file in token_file, or "+
		"pass the systemd credential forge_token", q.Kind, env)}
}

// appID is how GitHub writes the number or the client ID of an App.
var appID = regexp.MustCompile(`^[0-9A-Za-z.]+$`)

func (v *validator) request(q *Request, p *Pull) {
	v.words(q)
	if q.URL != "" {
		if u := v.webAddress("url", q.URL, ""); u != nil && u.Scheme == "http" && !bound.Loopback(u.Hostname()) {
			v.add("url", "http would send the token unprotected to %s; use https", u.Host)
		}
	}
	names, between := strings.Split(q.Repository, "/"), "%"
	if q.Kind == "azure" {
		between = "" // a project's name may have blanks there
	}
	if q.Repository != "" && (!plainText(q.Repository) || slices.Contains(names, "") || len(names) < 2 ||
		strings.ContainsAny(strings.ReplaceAll(q.Repository, " ", between), "?#%\\")) {
		v.add("repository", "%q is not the name of a repository at a forge, such as owner/name", q.Repository)
	}
	sample := RequestData{Project: "app", Branch: "l10n", Base: "main", Languages: []string{"de", "fr"},
		Files: []string{"de.json", "fr.json"}, Keys: 3, Added: 2, Changed: 1,
		Counts: []RequestCount{{Language: "de", Added: 2}}, HeldBack: []string{"fr.json: a problem"}, Table: "| language |"}
	for _, t := range []struct{ key, text string }{{"title", q.Title}, {"body", q.Body}} {
		text, err := v.fillings.fill(t.key, t.text, func() (string, error) { return fillRequest(t.key, t.text, sample) })
		switch {
		case err != nil:
			why := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), t.key+":")
			v.add(t.key, "line %s; allowed are .Project .Branch .Base .Languages .Files .Counts .Keys .Added .Changed "+
				".Removed .HeldBack .Table, join and code", why)
		case text == "" && t.key == "title":
			v.add("title", "must yield a text")
		}
	}
	labels := v.o.at("labels")
	for i, l := range q.Labels {
		if strings.TrimSpace(l) != l || l == "" || !plainText(l) || strings.Contains(l, ",") {
			v.addAt(labels.index(i), "%q is not a label: it must have no comma, no control characters and no blanks "+
				"at its ends", l)
		}
	}
	switch {
	case q.AppID == "":
	case q.Kind != "github":
		v.add("app_id", `goes with kind = "github" only; leave it out`)
	case !appID.MatchString(q.AppID):
		v.add("app_id", "%q is not the App's number or client ID, as the settings of the App show it", q.AppID)
	}
	v.env("token_env", q.TokenEnv)
	v.plain("token_file", q.TokenFile)
	if len(q.Labels) > 0 && q.Kind == "bitbucket" {
		v.add("labels", "pull requests have none at Bitbucket; leave them out")
	}
	if q.RemoveBranch && !slices.Contains([]string{RequestNone, RequestOptions, "gitlab", "bitbucket"}, q.Kind) {
		v.add("remove_branch", `goes with kind = "options", "gitlab" or "bitbucket" only; elsewhere a setting `+
			`of the repository deletes merged branches`)
	}
	if q.Kind != RequestNone {
		switch {
		case p.Remote == "":
			v.add("kind", "%q needs a remote that has the branch, and pull.remote is empty", q.Kind)
		case p.Branch == baseWord || p.Branch == branchWord:
			v.add("kind", `%q asks for each branch to be merged into itself: put a word before the branch in `+
				`pull.branch, as in l10n/{base}, or set kind to "none"`, q.Kind)
		case p.Base == p.Branch:
			v.add("kind", `%q asks for %s to be merged into itself: set pull.branch to another branch than pull.base, `+
				`or kind to "none"`, q.Kind, p.Branch)
		}
	}
}

// Notify is where the daemon posts messages for people. Without an address there are none.
type Notify struct {
	// URLEnv names the environment variable with the address that messages are posted to: a secret.
	URLEnv string `toml:"url_env"`
	// URLFile is a file with that address, relative to the configuration file.
	URLFile string `toml:"url_file"`
	// Kind is slack, teams or json. Empty: told by the address.
	Kind string `toml:"kind" enum:",slack,teams,json"`
}

// Cluster is the PostgreSQL through which several daemons with this configuration share its projects. Without the table
// there is one daemon, and no database.
type Cluster struct {
	// DatabaseURLEnv names the environment variable with the address of the database: a secret. It is looked at first.
	DatabaseURLEnv string `toml:"database_url_env"`
	// DatabaseURLFile is a file with that address, relative to the configuration file. After it, the systemd credential
	// called database_url.
	DatabaseURLFile string `toml:"database_url_file"`

	configured bool
}

// from notes that the table is in the file, where it may be empty.
func (c *Cluster) from(origin) { c.configured = true }

// Clustered reports whether the projects are shared with other daemons.
func (c *Config) Clustered() bool { return c.Cluster.configured }
