// Package config is the configuration file, locsync.toml: what it may say, what holds where it says
// nothing, and everything that is wrong with it.
//
// Its law: a configuration is either whole or not there. Load returns one whose every value has been
// looked at, or every problem of the file at once, each with its file, line, key and what is allowed;
// no other package has to doubt a value it finds here.
//
// The doc comments of the fields are the manual; config.example.toml shows the same keys with their
// defaults. Paths and templates are worked out here too, as pure functions, because what makes a
// template right or wrong is exactly what it yields. The package reads the configuration file and, when
// asked, the file of a secret. It does not open the network, a repository or the state.
package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/config/link"
	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/config/schedule"
	"github.com/locsync/locsync/sync/config/spell"
)

// FileName is the configuration's usual name.
const FileName = "locsync.toml"

// SchemaURL is where a release has the JSON Schema of the file, for editors.
const SchemaURL = "https://github.com/locsync/locsync/releases/latest/download/locsync.schema.json"

// Embedded is the service url that means the service inside this process.
const Embedded = "embedded"

// PlaceholderID is the project identifier that a configuration has before there is a real one.
const PlaceholderID = "00000000-0000-0000-0000-000000000000"

// DefaultCollection is the collection that every project at the service has.
const DefaultCollection = "main"

// Worktree is the push source that means the files as they lie in the working tree.
const Worktree = "worktree"

// Config is a whole configuration.
type Config struct {
	// StateDir is where locsync remembers what was pushed and pulled; relative to the configuration file.
	// Empty: $STATE_DIRECTORY, else locsync/ inside the repository's git directory.
	StateDir string `toml:"state_dir"`

	// ClonesGB is how much of the disk the clones of repositories that are addresses take in all, in gigabytes. Those
	// that were used least recently are removed, and made again when they are needed.
	ClonesGB float64 `toml:"clones_gb"`
	// Include are patterns for further files with [[project]] tables and nothing else, relative to this file, such as
	// projects/*.toml. Paths in such a file are relative to it.
	Include []string `toml:"include"`

	Service  Service   `toml:"service"`
	Daemon   Daemon    `toml:"daemon"`
	Cluster  Cluster   `toml:"cluster"`
	Notify   Notify    `toml:"notify"`
	Projects []Project `toml:"project"`

	// File is the path that the configuration was read from; relative paths in it begin at its folder.
	File string
	// Warnings are things that are allowed and likely a mistake.
	Warnings Problems

	origin origin
}

// Service is the translation service and how it is spoken to.
type Service struct {
	// URL is "embedded" for a service inside this process (its data under the state directory, no account
	// needed, projects made when they are missing, new keys pseudo-translated), or the scheme and host of a
	// real one, and a path if it has one. /api/integration is added by locsync itself.
	URL string `toml:"url"`
	// AllowInsecure lets the key travel by plain http to another machine, where everybody between can read it.
	AllowInsecure bool `toml:"allow_insecure"`
	// Link is where the status page links a key without a translation: an address with {PROJECT} (its id), {LANGUAGE}
	// and {KEY}, each escaped. Empty: there are no links.
	Link link.Template `toml:"link"`
	// AccountID is the user name for HTTP Basic. The embedded service needs none.
	AccountID string `toml:"account_id"`
	// APIKeyEnv names the environment variable that holds the password. It is looked at first.
	APIKeyEnv string `toml:"api_key_env"`
	// APIKeyFile is a file that holds the password, relative to the configuration file. It is looked at when
	// the variable is not set; after it, the systemd credential called api_key. The password is never in
	// the configuration.
	APIKeyFile string `toml:"api_key_file"`
	// RequestsPerSecond is never exceeded in any window of one second, over all locsync processes of this host
	// with this account. Above 0; the real service allows 4.
	RequestsPerSecond float64 `toml:"requests_per_second"`
	// Placeholders are regular expressions for what must not be changed in any text of the account: project apply adds
	// those that the service does not have.
	Placeholders []string `toml:"placeholders"`
	// JobTimeout is how long an import or export may take; one that takes longer counts as failed for now and is
	// taken up again.
	JobTimeout time.Duration `toml:"job_timeout"`
}

// Embedded reports whether the service is the one inside this process.
func (s *Service) Embedded() bool { return s.URL == Embedded }

// Daemon is how `locsync run` behaves.
type Daemon struct {
	// Listen is the address of the status page, health, metrics, hooks and callbacks. Empty turns all of that off.
	Listen string `toml:"listen"`
	// Debounce is the quiet time after the last change before a push.
	Debounce time.Duration `toml:"debounce"`
	// MaxDelay is how long after the first change a push happens at the latest. At least Debounce.
	MaxDelay time.Duration `toml:"max_delay"`
	// Rescan is how often all files are looked at, for what a watcher cannot see.
	Rescan time.Duration `toml:"rescan"`
	// WebhookSecretEnv names the environment variable with the secret that git hosts sign their webhooks with.
	// No secret: webhooks are refused.
	WebhookSecretEnv string `toml:"webhook_secret_env"`
	// WebhookSecretFile is a file with that secret, relative to the configuration file.
	WebhookSecretFile string `toml:"webhook_secret_file"`
	// CallbackHeader is the header that the service's notifications must carry, with the secret as its value.
	CallbackHeader string `toml:"callback_header"`
	// CallbackSecretEnv names the environment variable with that value. No secret: callbacks are refused.
	CallbackSecretEnv string `toml:"callback_secret_env"`
	// CallbackSecretFile is a file with that value, relative to the configuration file.
	CallbackSecretFile string `toml:"callback_secret_file"`
	// PageTokenEnv names the environment variable with the token for the status page: who types it there may push and
	// pull by buttons. No token: the page has no buttons.
	PageTokenEnv string `toml:"page_token_env"`
	// PageTokenFile is a file with that token, relative to the configuration file.
	PageTokenFile string `toml:"page_token_file"`
	// PublicURL is the public URL of this daemon, to register callbacks at the service. The page answers to its
	// host, too.
	PublicURL string `toml:"public_url"`
	// TrustedProxies are the addresses, or networks such as 10.0.0.0/8, of proxies whose X-Forwarded-For is believed.
	TrustedProxies []string `toml:"trusted_proxies"`
}

// Project is one repository and the project at the service that translates it.
type Project struct {
	// Name is used in messages, in --project and in commit trailers. Each project has its own.
	Name string `toml:"name"`
	// ID is the project's identifier at the service, a UUID. The embedded service takes any, also zeros.
	ID string `toml:"id"`
	// Repository is a working tree or bare repository on this machine, relative to the configuration file; or the address
	// of one elsewhere (https, ssh, git@host:path, file), of which a bare clone is kept under the state directory, with
	// the blobs that are needed. Push.Source is a branch then.
	Repository string `toml:"repository"`
	// SourceLanguage is the language that the source files are written in, as the service spells it.
	SourceLanguage string `toml:"source_language"`
	// TargetLanguages are the languages to translate into, as the service spells them.
	TargetLanguages []string `toml:"target_languages"`
	// LanguagePaths says how a language is spelled in the repository's paths where that is not the service's
	// own spelling: "zh-Hans" = "zh-CN". It changes what {LANGUAGE}, {LOCALE:IOS} and {LOCALE:ANDROID} yield here;
	// the service keeps its own spelling.
	LanguagePaths map[string]string `toml:"language_paths"`
	// TrustOwner true: the repository may belong to another user of this machine. Its git configuration and its filters
	// are code that runs as this user then. Without it the rule is git's own: refused, unless safe.directory names it.
	TrustOwner bool `toml:"trust_owner"`
	// Memory says where what was agreed on with the service is remembered: remote (the reference refs/locsync/NAME, here
	// and at Pull.Remote), branch (a branch locsync/NAME there, for hosts that take no other references) or local (here
	// only: another clone asks again). The embedded service remembers in the state directory.
	Memory string `toml:"memory" enum:"remote,branch,local"`

	Push      Push      `toml:"push"`
	Pull      Pull      `toml:"pull"`
	Documents Documents `toml:"documents"`
	// Check is what becomes of texts that are wrong and harmless to the program, by kind.
	Check kinds.Check `toml:"check"`
	Hold  Hold        `toml:"gate"`
	Files []Files     `toml:"files"`
	// Pretranslation is what the project at the service follows before people translate. Empty: what it has stays.
	Pretranslation []rules.Rule `toml:"pretranslation"`

	origin origin

	pluralKeys map[string]bool // see WithPluralKeys
}

// Hold is what a pull or merge request is held for, of the keys that it changes: check --since, --diff and --comment.
type Hold struct {
	// Languages must have these keys whole: one that is missing is an error. Empty: none must.
	Languages []string `toml:"languages"`
	// Stale true: a translation into these languages that is older than its source text is an error, too, until it is
	// written anew or the change is accepted.
	Stale bool `toml:"stale"`
}

// Documents is the other project at the service, which translates whole documents: what `locsync documents`, `tasks`,
// `stats` and `engines` are about where no --id names another one.
type Documents struct {
	// ID is that project's identifier at the service, a UUID. Empty: there is none; locsync project create --documents
	// makes one.
	ID string `toml:"id"`
	// Output is the template of the paths that `locsync documents pull` writes to, below the current folder: {LANGUAGE},
	// {PATH}, or {DIR}, {NAME} and {EXT} for its parts.
	Output string `toml:"output"`
	// Pretranslation is as the Pretranslation of a Project.
	Pretranslation []rules.Rule `toml:"pretranslation"`
}

// Push is what goes to the service.
type Push struct {
	// Enabled false: nothing of this project is pushed.
	Enabled bool `toml:"enabled"`
	// Source is "worktree", the files as they lie there, or the name of a branch, the files as committed there: at the
	// remote, or where the branch here has all of that and more, here. Of a Repository that is cloned it is a branch:
	// where nothing is said, the remote's default one.
	Source string `toml:"source"`
	// Branches limits pushes from the working tree to the times when one of these branches is checked out; names or
	// patterns (release/*). Empty: any. Where a Collection holds {BRANCH}, these branches are translated beside each
	// other, and Source may be a branch, which then comes first; see PerBranch.
	Branches []string `toml:"branches"`
	// CompletionState is what translations that the repository sends count as: draft, intermediate or final.
	CompletionState string `toml:"completion_state" enum:"draft,intermediate,final"`
	// Conflicts says what happens to a value that the service holds differently: overwrite it, skip it (the
	// service's stays and counts as accepted), or report it (the service's stays, the key stays pending).
	Conflicts string `toml:"conflicts" enum:"overwrite,skip,report"`
	// Translations true: values of target languages that people changed in the repository are pushed too.
	Translations bool `toml:"translations"`
	// Guard holds a source file back when more than this share of its keys (0 to 1), and at least ten, would be gone,
	// and all files when more than this share of them is gone at once. 1 lets everything pass.
	Guard float64 `toml:"guard"`
}

// Covers reports whether pushes from the working tree happen while this branch is checked out; "" is a detached HEAD,
// covered here only when any branch is. The engine also takes one that is at the tip of a covered branch.
func (p *Push) Covers(branch string) bool {
	return len(p.Branches) == 0 || branch != "" && slices.ContainsFunc(p.Branches, func(pattern string) bool {
		return matches(pattern, branch)
	})
}

// Pull is what comes back, and where it goes.
type Pull struct {
	// Enabled false: nothing of this project is pulled.
	Enabled bool `toml:"enabled"`
	// Schedule says when the daemon pulls: five cron fields, six with seconds in front, @hourly, `@every 90s`; a
	// prefix TZ=Europe/Berlin gives the zone, UTC without one.
	Schedule schedule.Schedule `toml:"schedule"`
	// CompletionState is the least state that a translation must have to be pulled: draft, intermediate or final.
	CompletionState string `toml:"completion_state" enum:"draft,intermediate,final"`
	// Incomplete says what stands for a key that has no such translation: skip (nothing), blank (an empty text) or
	// fallback (the source text).
	Incomplete string `toml:"incomplete" enum:"skip,blank,fallback"`
	// Base is the branch that translations are built on. Empty: the remote's default one; without a remote the current.
	Base string `toml:"base"`
	// Settle is how long nothing must be saved on the embedded service's page before a daemon commits what was saved;
	// after ten times that it does so anyway, and at once when a language is complete and when it ends. 0: at each save.
	Settle time.Duration `toml:"settle"`
	// Credit gives commits a trailer Co-authored-by for each translator whom the service names: the embedded one, of the
	// same process.
	Credit bool `toml:"credit"`
	// Branch is where translations are committed; it may equal Base. {base}, or {BRANCH}, in it stands for the name of the
	// branch that they are built on: l10n/{base}.
	Branch string `toml:"branch"`
	// Remote is where Branch is pushed after each commit. Empty keeps commits local.
	Remote string `toml:"remote"`
	// CommitMessage is a text/template with the fields of CommitData and the function join.
	CommitMessage string `toml:"commit_message"`
	// AuthorName is the author and committer of the commits.
	AuthorName string `toml:"author_name"`
	// AuthorEmail is the author's address.
	AuthorEmail string `toml:"author_email"`
	// Sign says which commits are signed: git (as the repository's git configuration says: commit.gpgSign, gpg.format,
	// user.signingKey) or never.
	Sign string `toml:"sign" enum:"git,never"`
	// SigningKeyFile is the private key of an ssh key pair, without a passphrase, that signs every commit; relative to the
	// configuration file.
	SigningKeyFile string `toml:"signing_key_file"`
	// Guard holds a file back when more than this share of its translations (0 to 1), and at least ten, would be
	// removed or blanked. 1 lets everything pass.
	Guard float64 `toml:"guard"`
	// Source true: source texts that were changed at the service are brought into the source files on Branch, with the
	// translations, for one export more per collection and format. Only values of keys that a file has are replaced.
	// Where both sides changed a text, the repository's is kept and the report names both; a push does not ask before
	// it sends the repository's. Guard holds a file back of whose texts more than its share, and at least ten, would
	// change. Files whose Output has {LABEL:PREFIX} are left out.
	Source bool `toml:"source"`
	// SourceChanged says what happens to a translation whose source text was changed in the repository: keep (it stays
	// until the service has a new one) or blank (it is taken out, as Incomplete says, until then).
	SourceChanged string `toml:"source_changed" enum:"keep,blank"`

	// Request is the pull or merge request for Branch.
	Request Request `toml:"request"`
}

// Files is a set of source files and where their translations lie.
type Files struct {
	// Source is a pattern for the files in the source language, relative to the repository: *, ** for folders, ?,
	// [a-z], {one,other}.
	Source string `toml:"source"`
	// Exclude are patterns, as Source has them, for files that it matches and that are left out.
	Exclude []string `toml:"exclude"`
	// Format is json, structured-json, yaml, structured-yaml, ios-strings, android-xml, locjson, arb, properties,
	// resx, po, xliff, xcstrings or stringsdict. Empty: by the extension of Source (.json, .yaml and .yml, .strings,
	// .xml, .locjson, .arb, .properties, .resx, .po and .pot, .xlf and .xliff, .xcstrings, .stringsdict); it is never
	// empty once loaded.
	Format string `toml:"format"`
	// Output says where the translations of a source file lie: a path with {LANGUAGE}, {LOCALE:IOS},
	// {LOCALE:ANDROID}, {LABEL:PREFIX} (the service's own) and {NAME}, {EXT}, {DIR} (of the source file). Files of
	// xcstrings have all languages, and have none.
	Output string `toml:"output"`
	// Collection is the container of the keys at the service. With {NAME} or {DIR}, each file has its own; with {BRANCH},
	// each branch.
	Collection string `toml:"collection"`
	// KeyPrefix is put before the keys of a file at the service, and in reports: files with keys in common can share a
	// collection. It may hold {NAME}, {DIR} and {EXT}.
	KeyPrefix string `toml:"key_prefix"`
	// PathSeparator joins the names of nested objects to a key; structured formats only, "/" where it is not given.
	PathSeparator string `toml:"path_separator"`
	// Plurals says how plurals travel whose forms are keys of their own: PluralsJoined or PluralsKeys. Empty: joined, but
	// for files whose keys were sent one by one before.
	Plurals Plurals `toml:"plurals" enum:",joined,keys"`
	// LanguagePaths is the project's LanguagePaths for these files alone, language by language, where they spell one
	// differently: a web application's zh-CN beside iOS's zh-Hans.
	LanguagePaths map[string]string `toml:"language_paths"`
	// Labels are the labels that the keys of these files carry at the service; sent with imports.
	Labels []string `toml:"labels"`
	// SkipChecks are the checks of translations that are not made for these files: names of Checks, each alone or with a
	// pattern for keys behind a colon (markup:legal/*).
	SkipChecks []string `toml:"skip_checks"`

	origin   origin
	template Template // of Output
}

// WithPluralKeys is the project as it is where the plurals of some source files travel as keys unless the configuration
// says otherwise, since they did before.
func (p *Project) WithPluralKeys(files []string) *Project {
	kept := *p
	kept.pluralKeys = make(map[string]bool, len(files))
	for _, f := range files {
		kept.pluralKeys[f] = true
	}
	return &kept
}

// KeepsPluralKeys reports whether a source file is one of them.
func (p *Project) KeepsPluralKeys(file string) bool { return p.pluralKeys[file] }

// Plurals is how plurals travel whose forms are keys of their own, as i18next and Rails have them.
type Plurals string

// The ways: as one key with its forms, or each form as a key.
const (
	PluralsJoined Plurals = "joined"
	PluralsKeys   Plurals = "keys"
)

// Default is the configuration that holds where a file says nothing.
func Default() *Config {
	return &Config{
		ClonesGB: 50,
		Service: Service{
			URL:               Embedded,
			APIKeyEnv:         "LOCSYNC_API_KEY",
			RequestsPerSecond: 4,
			JobTimeout:        30 * time.Minute,
		},
		Cluster: Cluster{DatabaseURLEnv: "LOCSYNC_DATABASE_URL"},
		Daemon: Daemon{
			Listen:         "127.0.0.1:7420",
			Debounce:       300 * time.Millisecond,
			MaxDelay:       5 * time.Second,
			Rescan:         10 * time.Minute,
			CallbackHeader: "X-Locsync-Callback",
		},
	}
}

// Whole is Default with a project that has files, of which each key has its default.
func Whole() *Config {
	c := Default()
	c.Projects = make([]Project, 1)
	c.Projects[0].setDefaults()
	c.Projects[0].Files = make([]Files, 1)
	c.Projects[0].Files[0].setDefaults()
	c.Projects[0].Files[0].PathSeparator = defaultSeparator // of structured formats
	return c
}

// setDefaults begins a project of the file.
func (p *Project) setDefaults() {
	every, err := schedule.Parse("*/15 * * * *")
	if err != nil {
		panic(err) // a constant
	}
	*p = Project{
		ID:         PlaceholderID,
		Repository: ".",
		Memory:     "remote",
		Documents:  Documents{Output: "{LANGUAGE}/{PATH}"},
		Check:      kinds.Default(),
		Push: Push{
			Enabled:         true,
			Source:          Worktree,
			CompletionState: "draft",
			Conflicts:       "overwrite",
			Translations:    true,
			Guard:           0.3,
		},
		Pull: Pull{
			Enabled:         true,
			Schedule:        every,
			CompletionState: "final",
			Incomplete:      "skip",
			Branch:          "l10n",
			Remote:          "origin",
			CommitMessage:   `Update translations ({{ join .Languages ", " }})`,
			AuthorName:      "locsync",
			AuthorEmail:     "locsync@localhost",
			Sign:            "git",
			Guard:           0.3,
			SourceChanged:   "keep",
			Settle:          2 * time.Minute,
			Credit:          true,
			Request:         defaultRequest(),
		},
	}
}

// setDefaults begins a [[project.files]] of the file.
func (f *Files) setDefaults() { *f = Files{Collection: DefaultCollection} }

func (p *Project) from(o origin) { p.origin = o }
func (f *Files) from(o origin)   { f.origin = o }

// Resolve is a path of the configuration as an absolute one, or relative to the same folder as File; it
// does not look at the disk.
func (c *Config) Resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.File), path)
}

// Project is the project with this name; nil where there is none.
func (c *Config) Project(name string) *Project {
	for i := range c.Projects {
		if c.Projects[i].Name == name {
			return &c.Projects[i]
		}
	}
	return nil
}

// mostNamed is how many projects a message names.
const mostNamed = 20

// NoProject says that no project has this name, and which one was perhaps meant.
func (c *Config) NoProject(name string) error {
	var names []string
	for i := range c.Projects {
		names = append(names, c.Projects[i].Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no project is configured yet; locsync project add --create writes the first one", c.File)
	}
	if near := spell.Nearest(name, names); near != "" {
		return fmt.Errorf("no project is called %q; did you mean %q?", name, near)
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		names = names[:mostNamed]
	}
	return fmt.Errorf("no project is called %q; the configuration has %s%s", name, strings.Join(names, ", "), more)
}

// HasID reports whether the project has an identifier of its own yet.
func (p *Project) HasID() bool { return p.ID != PlaceholderID }

// Language is a language of the project in both spellings.
func (p *Project) Language(code string) Language {
	if spelling, ok := p.LanguagePaths[code]; ok {
		return Language{Code: code, Path: spelling}
	}
	return Language{Code: code, Path: code}
}

// Targets are the target languages in both spellings, in the order of the file.
func (p *Project) Targets() []Language {
	languages := make([]Language, len(p.TargetLanguages))
	for i, code := range p.TargetLanguages {
		languages[i] = p.Language(code)
	}
	return languages
}

// Patterns are patterns for paths, relative to the repository.
type Patterns []string

// Match reports whether a path, relative to the repository, matches one of them.
func (p Patterns) Match(path string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool { return matches(pattern, path) })
}

// Below reports whether a folder may hold what matches. It may say yes too often.
func (p Patterns) Below(folder string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool {
		if strings.Contains(pattern, "{") {
			return true // its alternatives may have slashes
		}
		parts := strings.Split(pattern, "/")
		for i, name := range strings.Split(folder, "/") {
			switch {
			case i == len(parts)-1:
				return parts[i] == "**"
			case parts[i] == "**":
				return true
			case !matches(parts[i], name):
				return false
			}
		}
		return true
	})
}

// WatchPatterns are the patterns of every file that a change may matter in: the source files, and the
// target files, which people edit too.
func (p *Project) WatchPatterns() Patterns {
	var patterns []string
	for i := range p.Files {
		f := &p.Files[i]
		patterns = append(patterns, f.Source)
		for _, l := range p.Targets() {
			if !f.template.IsZero() {
				patterns = append(patterns, f.template.Glob(l))
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// Problem is a problem with a key of this project, for what shows only when the repository or the service
// is looked at.
func (p *Project) Problem(key, format string, args ...any) Problem {
	return p.origin.at(key).problem(format, args...)
}

// Blame is err, which showed when the repository was looked at, with the position of the key in front whose value it
// is about.
func (p *Project) Blame(key string, err error) error {
	return fmt.Errorf("%w%w", p.Problem(key, ""), err)
}

// Problem is a problem with a key of this entry, for what shows only when the files are looked at.
func (f *Files) Problem(key, format string, args ...any) Problem {
	return f.origin.at(key).problem(format, args...)
}

// Structured reports whether the files hold nested keys that are joined by PathSeparator.
func (f *Files) Structured() bool {
	format, _ := formats.Named(f.Format)
	return format.Structured
}

// CommitData is what a commit message may speak of.
type CommitData struct {
	Project   string
	Languages []string // codes of the languages that changed, sorted
	Files     []string // paths that changed, sorted
	Keys      int      // added, changed and removed, over all files

	Added, Changed, Removed int
}

// Message is the commit message for what changed, without trailers.
func (p *Pull) Message(data CommitData) (string, error) {
	return bound.Text("commit_message", p.CommitMessage, 64<<10, nil, data)
}
