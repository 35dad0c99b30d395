package config

import (
	"maps"
	"math"
	"net"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config/glob"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/config/position"
	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/config/spell"
)

// validator looks at a decoded configuration and collects what is wrong. Values that could not be
// decoded are reported already; their keys are left alone.
type validator struct {
	problems   Problems
	warnings   Problems
	withoutIDs bool             // projects may not exist at the service yet
	wrong      map[Problem]bool // places that already have a problem of type or name
	o          origin           // the table that is being looked at
	fillings   fillings
}

// fillings are what templates yield for a sample, by key and text: most projects have the same ones.
type fillings map[[2]string]filling

type filling struct {
	text string
	err  error
}

// in makes a table the one that keys are meant in.
func (v *validator) in(o origin) { v.o = o }

func (v *validator) add(key, format string, args ...any) {
	v.addAt(v.o.at(key), format, args...)
}

func (v *validator) addAt(o origin, format string, args ...any) {
	if p := o.problem(format, args...); !v.wrong[p.place()] {
		v.problems = append(v.problems, p)
	}
}

func (v *validator) warn(key, format string, args ...any) {
	v.warnings = append(v.warnings, v.o.at(key).problem(format, args...))
}

func (v *validator) config(c *Config) {
	v.in(c.origin)
	v.plain("state_dir", c.StateDir)
	if !(c.ClonesGB > 0) || math.IsInf(c.ClonesGB, 0) {
		v.add("clones_gb", "must be a number of gigabytes above 0, not %v", c.ClonesGB)
	}
	v.in(c.origin.at("service"))
	v.service(&c.Service)
	v.in(c.origin.at("daemon"))
	v.daemon(&c.Daemon)
	v.in(c.origin.at("notify"))
	v.env("url_env", c.Notify.URLEnv)
	v.plain("url_file", c.Notify.URLFile)
	v.words(&c.Notify)
	clustered(v, c)
	if len(c.Projects) == 0 && len(c.Include) == 0 {
		v.addAt(c.origin.at("project"), "there is no [[project]], which says what is translated; locsync project add "+
			"writes one")
	}
	names := make(map[string]origin, len(c.Projects))
	for i := range c.Projects {
		p := &c.Projects[i]
		v.in(p.origin)
		if other, taken := names[p.Name]; taken && p.Name != "" {
			v.add("name", "%q is the name of another project too, on line %s; each needs its own", p.Name,
				other.lineFrom(p.origin))
		}
		names[p.Name] = p.origin
	}
	checkProjects(v, c)
	v.sharedOutputs(c)
	v.branchClashes(c)
	v.sharedProject(c)
}

// sharedProject warns of projects that send other files to one collection of one project at the service, where each
// replaces the texts of the other. With the embedded service those without an identifier are one.
func (v *validator) sharedProject(c *Config) {
	collections := make(map[[2]string]*Project) // by identifier and collection
	for i := range c.Projects {
		p := &c.Projects[i]
		if !p.HasID() && !c.Service.Embedded() {
			continue
		}
		for j := range p.Files {
			at := [2]string{p.ID, p.Files[j].Collection}
			other := collections[at]
			if other == nil || c.Resolve(other.Repository) == c.Resolve(p.Repository) {
				collections[at] = p
				continue
			}
			v.in(p.origin)
			if p.HasID() {
				v.warn("id", "%q and %q send to collection %q of one project at the service, and replace each other's texts "+
					"of keys that both have; give one of them another id or collection", other.Name, p.Name, at[1])
			} else {
				v.warn("id", "%q and %q are one project at the embedded service, since both have no identifier, and replace "+
					"each other's texts; write into one of them id = %q", other.Name, p.Name,
					uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.Name)))
			}
			break
		}
	}
}

// checkProjects checks each project by itself, a share of them on each processor.
func checkProjects(v *validator, c *Config) {
	shares := make([]validator, min(runtime.GOMAXPROCS(0), len(c.Projects)))
	var all fault.Group
	for n := range shares {
		all.Go(func() {
			share := validator{withoutIDs: v.withoutIDs, wrong: v.wrong, fillings: make(fillings)}
			for i := n * len(c.Projects) / len(shares); i < (n+1)*len(c.Projects)/len(shares); i++ {
				share.project(&c.Projects[i], c.Service.Embedded())
			}
			shares[n] = share
		})
	}
	all.Wait()
	for _, share := range shares {
		v.problems = append(v.problems, share.problems...)
		v.warnings = append(v.warnings, share.warnings...)
	}
}

// fill is what the template of a key yields for a sample.
func (s fillings) fill(key, text string, fill func() (string, error)) (string, error) {
	known, ok := s[[2]string{key, text}]
	if !ok {
		known.text, known.err = fill()
		s[[2]string{key, text}] = known
	}
	return known.text, known.err
}

// clustered checks what several machines need to share projects.
func clustered(v *validator, c *Config) {
	v.in(c.origin.at("cluster"))
	v.env("database_url_env", c.Cluster.DatabaseURLEnv)
	v.plain("database_url_file", c.Cluster.DatabaseURLFile)
	if !c.Clustered() {
		return
	}
	if c.Service.Embedded() {
		v.in(c.origin.at("service"))
		v.add("url", `the embedded service is inside of one process, and with [cluster] there are several; write the `+
			`address of a service that all of them reach`)
	}
	for i := range c.Projects {
		if p := &c.Projects[i]; p.Repository != "" && !p.Cloned() {
			v.in(p.origin)
			v.add("repository", `with [cluster] it must be an address (https, ssh, file): each machine makes a clone of `+
				`its own`)
		}
	}
}

func (v *validator) service(s *Service) {
	switch {
	case s.Embedded():
	case s.URL == "":
		v.add("url", `must be "embedded" or the address of the service, such as "https://smartcat.example.com"`)
	default:
		v.serviceURL(s)
	}
	if s.Link != "" {
		v.plain("link", string(s.Link))
		v.webAddress("link", s.Link.Address(), "")
		if word := s.Link.Unknown(); word != "" {
			v.add("link", "unknown placeholder %s; allowed are {PROJECT}, {LANGUAGE} and {KEY}", word)
		}
	}
	v.env("api_key_env", s.APIKeyEnv)
	v.plain("api_key_file", s.APIKeyFile)
	if !(s.RequestsPerSecond > 0) || math.IsInf(s.RequestsPerSecond, 0) {
		v.add("requests_per_second", "must be a number above 0, not %v; the service allows 4", s.RequestsPerSecond)
	}
	v.positive("job_timeout", s.JobTimeout)
	for i, expression := range s.Placeholders {
		if expression == "" || !plainText(expression) {
			v.addAt(v.o.at("placeholders").index(i), "%q must be a regular expression", expression)
		}
	}
}

func (v *validator) serviceURL(s *Service) {
	u := v.webAddress("url", s.URL, `"embedded" or `)
	if u == nil {
		return
	}
	if strings.Contains(u.Path, "/api/integration") {
		v.add("url", "leave /api/integration out: locsync adds it itself")
	}
	if u.Scheme == "http" && !bound.Loopback(u.Hostname()) {
		if s.AllowInsecure {
			v.warn("url", "http sends the API key unprotected to %s; https does not", u.Host)
		} else {
			v.add("url", "http sends the API key unprotected to %s: write https, or allow_insecure = true "+
				"where the network is yours", u.Host)
		}
	}
	if s.AccountID == "" {
		v.add("account_id", "must be the account's identifier; it is the user name for the service")
	} else if strings.Contains(s.AccountID, ":") || !plainText(s.AccountID) {
		v.add("account_id", "%q holds a colon or a control character, which a user name for HTTP Basic cannot", s.AccountID)
	}
}

// ownHeaders are those that HTTP, and what is between the service and here, say other things with.
var ownHeaders = []string{"host", "connection", "content-length", "content-type", "content-encoding",
	"transfer-encoding", "trailer", "te", "upgrade", "expect", "keep-alive", "proxy-connection", "user-agent", "accept",
	"accept-encoding"}

var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

func (v *validator) daemon(d *Daemon) {
	if d.Listen != "" {
		_, port, err := net.SplitHostPort(d.Listen)
		n, numberErr := strconv.Atoi(port)
		if err != nil || numberErr != nil || n < 0 || n >= 1<<16 {
			v.add("listen", `%q is not an address such as "127.0.0.1:7420"; "" turns the status page and the hooks off`,
				d.Listen)
		}
	}
	if d.Debounce < 0 {
		v.add("debounce", "must not be negative")
	}
	if d.MaxDelay < d.Debounce {
		v.add("max_delay", "must be at least debounce (%v), not %v", d.Debounce, d.MaxDelay)
	}
	v.positive("rescan", d.Rescan)
	v.env("webhook_secret_env", d.WebhookSecretEnv)
	v.plain("webhook_secret_file", d.WebhookSecretFile)
	v.env("callback_secret_env", d.CallbackSecretEnv)
	v.plain("callback_secret_file", d.CallbackSecretFile)
	v.env("page_token_env", d.PageTokenEnv)
	v.plain("page_token_file", d.PageTokenFile)
	switch {
	case !headerName.MatchString(d.CallbackHeader):
		v.add("callback_header", "%q is not the name of a header", d.CallbackHeader)
	case slices.Contains(ownHeaders, strings.ToLower(d.CallbackHeader)):
		v.add("callback_header", "%s is a header of HTTP itself, or one that every call has; choose a name of "+
			"your own, such as X-Locsync-Callback", d.CallbackHeader)
	}
	if d.PublicURL != "" {
		v.webAddress("public_url", d.PublicURL, "")
	}
	if _, err := bound.Proxies(d.TrustedProxies); err != nil {
		v.add("trusted_proxies", "%v: name addresses such as 127.0.0.1, or networks such as 10.0.0.0/8", err)
	}
}

var uuidShape = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func (v *validator) project(p *Project, embedded bool) {
	v.in(p.origin)
	switch {
	case p.Name == "":
		v.add("name", `must be a name for the project, such as "app"; messages and --project use it`)
	case !plainText(p.Name) || strings.TrimSpace(p.Name) != p.Name || len(p.Name) > 100:
		v.add("name", "%q must have no blanks at its ends, no control characters and at most 100 bytes", p.Name)
	}
	if p.ID == "" {
		p.ID = PlaceholderID
	}
	switch {
	case !uuidShape.MatchString(p.ID):
		v.add("id", "%q is not a project identifier: 36 characters, as in %s", p.ID, PlaceholderID)
	case !p.HasID() && !embedded && !v.withoutIDs:
		v.add("id", "must be the project's identifier at the service, 36 characters; the service shows it "+
			"in the project's address, and `locsync project create` makes one")
	}
	v.repository(p)
	v.languages(p)
	v.in(p.origin)
	v.words(p)
	rules.Check(p.Pretranslation, v.rule)
	v.in(p.origin.at("check"))
	for kind, level := range p.Check.All() {
		v.oneOf(kind, level, kinds.Levels)
	}
	if err := p.Check.Read(p.origin.file, toml.Unmarshal, matches); err != nil {
		v.add("terms", "%v", err)
	}
	for _, pattern := range slices.Sorted(maps.Keys(p.Check.Paths)) {
		v.in(p.origin.at("check").at("paths").at(position.Key(pattern)))
		v.levels(pattern, p.Check.Paths[pattern])
	}
	v.in(p.origin.at("gate"))
	v.hold(p)
	v.in(p.origin.at("documents"))
	if id := p.Documents.ID; id != "" && !uuidShape.MatchString(id) {
		v.add("id", "%q is not a project identifier: 36 characters, as in %s", id, PlaceholderID)
	} else if id != "" && p.HasID() && strings.EqualFold(id, p.ID) {
		v.add("id", "is the project of the keys; one for documents is another: locsync project create --documents makes it")
	}
	if p.Documents.Output == "" {
		v.add("output", `must be a template for paths, such as "{LANGUAGE}/{PATH}"`)
	}
	rules.Check(p.Documents.Pretranslation, v.rule)
	v.in(p.origin.at("push"))
	v.push(p)
	v.in(p.origin.at("pull"))
	v.pull(&p.Pull)
	v.in(p.origin)
	if len(p.Files) == 0 {
		v.add("files", "there is no [[project.files]]; at least one says where source files and translations lie")
	}
	for i := range p.Files {
		v.in(p.Files[i].origin)
		v.files(&p.Files[i], p)
	}
	v.branches(p)
	v.in(p.origin)
}

// rule adds what is wrong with a rule of the table that is being looked at.
func (v *validator) rule(i int, key, problem string) {
	v.addAt(v.o.at("pretranslation").index(i).at(key), "%s", problem)
}

// hold checks what requests are held for.
func (v *validator) hold(p *Project) {
	for i, code := range p.Hold.Languages {
		if slices.Contains(p.TargetLanguages, code) {
			continue
		}
		hint := ""
		if near := spell.Nearest(code, p.TargetLanguages); near != "" {
			hint = "; did you mean " + near + "?"
		}
		v.addAt(v.o.at("languages").index(i), "%q is not one of target_languages (%s)%s", code,
			strings.Join(p.TargetLanguages, ", "), hint)
	}
	if p.Hold.Stale && len(p.Hold.Languages) == 0 {
		v.add("stale", "says nothing without languages: name those whose translations must not be older than their source")
	}
}

// levels checks the levels that kinds have in files of a pattern.
func (v *validator) levels(pattern string, levels map[string]string) {
	if pattern == "" || !glob.Valid(pattern) || glob.Long(pattern) {
		v.addAt(v.o, "%q is not a pattern for paths; write locales/legacy/** for all files below a folder", pattern)
	}
	for _, kind := range slices.Sorted(maps.Keys(levels)) {
		v.oneOf(kind, kind, kinds.All[:len(kinds.All)-1]) // but terms
		v.oneOf(kind, levels[kind], kinds.Levels)
	}
}

func (v *validator) languages(p *Project) {
	if why := checkLanguage(p.SourceLanguage); why != "" {
		v.add("source_language", "%s", why)
	}
	if len(p.TargetLanguages) == 0 {
		v.add("target_languages", `must list at least one language, such as ["de", "pt-BR"]`)
	}
	targets := v.o.at("target_languages")
	seen := map[string]bool{}
	for i, code := range p.TargetLanguages {
		at := targets.index(i)
		fold := strings.ToLower(code)
		switch why := checkLanguage(code); {
		case why != "":
			v.addAt(at, "%s", why)
		case fold == strings.ToLower(p.SourceLanguage):
			v.addAt(at, "%q is the source language; it cannot be a target", code)
		case seen[fold]:
			v.addAt(at, "%q is listed twice", code)
		}
		seen[fold] = true
	}
	v.languagePaths(p.LanguagePaths, p)
	if len(p.Files) == 0 || slices.ContainsFunc(p.Files, func(f Files) bool { return len(f.LanguagePaths) == 0 }) {
		v.spelledApart(p)
	}
}

// spelledApart checks that no two languages have one spelling. Files with their own spellings are looked at by paths.
func (v *validator) spelledApart(p *Project) {
	spelled := map[string]string{}
	for _, code := range p.TargetLanguages {
		spelling := Fold(p.Language(code).Path)
		if other, ok := spelled[spelling]; ok && !strings.EqualFold(other, code) {
			at := v.o.at("target_languages")
			for _, c := range []string{other, code} {
				if _, mapped := p.LanguagePaths[c]; mapped {
					at = v.o.at("language_paths").at(position.Key(c))
				}
			}
			v.addAt(at, "%s and %s would have the same files: both are spelled %q in paths", other, code, p.Language(code).Path)
		}
		spelled[spelling] = code
	}
}

// languagePaths checks one table of spellings.
func (v *validator) languagePaths(paths map[string]string, p *Project) {
	known := append([]string{p.SourceLanguage}, p.TargetLanguages...)
	for _, code := range slices.Sorted(maps.Keys(paths)) {
		spelling := paths[code]
		at := v.o.at("language_paths").at(position.Key(code))
		if !slices.Contains(known, code) {
			hint := "; this project has " + strings.Join(known, ", ")
			if near := spell.Nearest(code, known); near != "" {
				hint = "; did you mean " + near + "?"
			}
			v.addAt(at, "%q is not a language of this project%s", code, hint)
		} else if why := checkSpelling(spelling); why != "" {
			v.addAt(at, "%s", why)
		}
	}
}

func (v *validator) push(project *Project) {
	p := &project.Push
	if p.Source != Worktree && p.Source != "" { // "": of a clone, the remote's default branch
		if why := branchProblem(p.Source); why != "" {
			v.add("source", `%s; allowed are "worktree" and the name of a branch`, why)
		}
	}
	if p.Source != Worktree && len(p.Branches) > 0 && !project.hasBranchCollections() {
		v.add("branches", `goes with source = "worktree", or with a collection that holds {BRANCH}; `+
			`from one branch, pushes do not depend on what is checked out`)
	}
	for i, pattern := range p.Branches {
		plain := strings.NewReplacer("*", "x", "?", "x", "[", "", "]", "", "{", "", "}", "").Replace(pattern)
		if why := branchProblem(plain); why != "" || !glob.Valid(pattern) || glob.Long(pattern) {
			v.addAt(v.o.at("branches").index(i), "%q is neither the name of a branch nor a pattern for one", pattern)
		}
	}
	v.words(p)
	v.share("guard", p.Guard, "0.3 holds a source file back that lost more than 30 % of its keys")
}

func (v *validator) pull(p *Pull) {
	v.words(p)
	if p.Base != "" {
		v.branch("base", p.Base)
	}
	v.branch("branch", fillBranch(p.Branch, "x"))
	if strings.HasPrefix(p.Remote, "-") || strings.ContainsFunc(p.Remote, unicode.IsSpace) || !plainText(p.Remote) {
		v.add("remote", `%q is not the name of a remote, such as "origin"; "" keeps commits here`, p.Remote)
	}
	message, err := v.fillings.fill("commit_message", p.CommitMessage, func() (string, error) {
		return p.Message(CommitData{Project: "app", Languages: []string{"de", "fr"},
			Files: []string{"de.json", "fr.json"}, Keys: 2, Added: 1, Changed: 1})
	})
	switch {
	case err != nil:
		why := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), "commit_message:")
		v.add("commit_message", "line %s; allowed are .Project .Languages .Files .Keys .Added .Changed .Removed "+
			"and join", why)
	case message == "":
		v.add("commit_message", "must yield a text")
	}
	if strings.TrimSpace(p.AuthorName) == "" || strings.ContainsAny(p.AuthorName, "<>") || !plainText(p.AuthorName) {
		v.add("author_name", "%q is not a name for commits: it must have letters, no < or > and no line ends", p.AuthorName)
	}
	if p.AuthorEmail == "" || strings.ContainsAny(p.AuthorEmail, "<> ") || !plainText(p.AuthorEmail) {
		v.add("author_email", "%q is not an address for commits: it must have no blanks, < or >", p.AuthorEmail)
	}
	v.plain("signing_key_file", p.SigningKeyFile)
	if p.Sign == "never" && p.SigningKeyFile != "" {
		v.add("signing_key_file", `names a key, and sign = "never" leaves it unused; keep one of the two`)
	}
	v.share("guard", p.Guard, "0.3 holds a file back that would lose more than 30 % of its translations")
	if p.Settle < 0 {
		v.add("settle", `must not be negative, not %v; "0s" commits after each save`, p.Settle)
	}
	v.in(v.o.at("request"))
	v.request(&p.Request, p)
}

// share checks a number that is a share of a whole.
func (v *validator) share(key string, value float64, example string) {
	if !(value >= 0 && value <= 1) {
		v.add(key, "must be a share from 0 to 1, not %v; %s", value, example)
	}
}

// words checks the keys of a table that take one of a few words, which their tags list; "" first where it is one.
func (v *validator) words(table any) {
	of := reflect.ValueOf(table).Elem()
	for i := range of.NumField() {
		tag := of.Type().Field(i).Tag
		listed, has := tag.Lookup("enum")
		value := of.Field(i).String()
		if !has || value == "" && strings.HasPrefix(listed, ",") {
			continue
		}
		v.oneOf(tag.Get("toml"), value, strings.Split(strings.TrimPrefix(listed, ","), ","))
	}
}

// oneOf checks a value that is one of a few words.
func (v *validator) oneOf(key, value string, allowed []string) {
	if slices.Contains(allowed, value) {
		return
	}
	hint := ""
	if near := spell.Nearest(value, allowed); near != "" {
		hint = "; did you mean " + near + "?"
	}
	v.add(key, "%q is not allowed; one of %s%s", value, strings.Join(allowed, ", "), hint)
}

func (v *validator) positive(key string, d time.Duration) {
	if d <= 0 {
		v.add(key, "must be longer than 0, not %v", d)
	}
}

// plain refuses texts that cannot be a path or a name.
func (v *validator) plain(key, text string) {
	if !plainText(text) {
		v.add(key, "%q holds a control character", text)
	}
}

func plainText(text string) bool { return strings.IndexFunc(text, unicode.IsControl) < 0 }

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// env checks the name of an environment variable. It never quotes the value: it may be the
// secret itself there.
func (v *validator) env(key, name string) {
	if name != "" && !envName.MatchString(name) {
		v.add(key, "must be the name of an environment variable (letters, digits, _), not the secret itself")
	}
}
