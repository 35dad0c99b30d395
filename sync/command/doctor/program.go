package doctor

import (
	"context"
	"errors"
	"os"
	"os/user"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/notify"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/terminal"
)

// probeProgram tells of this process: what a report is worthless without.
func (d *doctor) probeProgram(_ context.Context, n *notes) {
	b := d.o.Program
	n.ok("version", "locsync %s, commit %s, %s %s/%s", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
	now := d.now()
	zone, _ := now.Zone()
	switch {
	case now.Before(d.built):
		n.warn("clock", "set the clock of this machine, or let it be set (timedatectl set-ntp true): schedules, "+
			"certificates and commits go by it",
			"it says %s, which is before this program was built", report.InUTC(now))
	default:
		n.ok("clock", "%s; this process's zone is %s", report.InUTC(now), zone)
	}
	if u, err := user.Current(); err == nil {
		n.ok("user", "%s (%s)", u.Username, u.Uid)
	}
	var set []string
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && slices.ContainsFunc([]string{"LOCSYNC_", "GIT_", "SSH_AUTH_SOCK", "STATE_DIRECTORY",
			"CREDENTIALS_DIRECTORY", "XDG_RUNTIME_DIR"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) }) || slices.Contains([]string{"HTTPS_PROXY",
			"HTTP_PROXY", "NO_PROXY", "ALL_PROXY"}, strings.ToUpper(name)) {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	if len(set) == 0 {
		set = []string{"none of those that matter"}
	}
	n.ok("environment", "set: %s", strings.Join(set, ", "))
	probeTerminal(d, n)
}

// builtAt is when the commit was made that this program was built from; the zero time where that is not known.
func builtAt() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return at
			}
		}
	}
	return time.Time{}
}

func probeTerminal(d *doctor, n *notes) {
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		n.ok("terminal", "standard output is not a terminal")
		return
	}
	columns, lines, coloured := terminal.NewScreen(os.Stdout, os.Stdout).Appearance()
	colours := "with colours"
	if !coloured {
		colours = "without colours (NO_COLOR, TERM)"
	}
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = d.getenv(name)
		}
	}
	utf8 := strings.Contains(strings.ToLower(strings.ReplaceAll(locale, "-", "")), "utf8")
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && !utf8 {
		n.warn("terminal", "set LANG to a locale of UTF-8, like C.UTF-8", "%d x %d, %s; its locale is %q: texts of other "+
			"scripts may show as something else", columns, lines, colours, locale)
		return
	}
	n.ok("terminal", "%d x %d, %s, locale %s", columns, lines, colours, terminal.OrNone(locale))
}

func (d *doctor) probeGit(ctx context.Context, n *notes) {
	path, release, err := gitops.CheckGit(ctx)
	switch {
	case errors.Is(err, gitops.ErrGit):
		n.fault("git", report.ExitWrong, "install git "+gitops.OldestGit+" or a newer one", "%v", err)
	case err != nil:
		n.failed("git", err, "try whether `git version` works for this user")
	default:
		n.ok("git", "%s, %s", release, path)
	}
}

func (d *doctor) probeConfiguration(_ context.Context, n *notes) {
	var problems config.Problems
	switch {
	case errors.As(d.cfgErr, &problems):
		for _, p := range problems {
			n.fault("file", report.ExitWrong, "correct it; `locsync help configuration` shows every key with what is allowed",
				"%s", p.Error())
		}
		return
	case d.cfgErr != nil:
		n.failed("file", wrongUse(d.cfgErr), "name a file that this user can read with --config")
		return
	}
	n.ok("file", "%s is valid: %s", process.Absolute(d.cfg.File), terminal.Count(len(d.cfg.Projects), "project"))
	for _, w := range d.cfg.Warnings {
		n.warn("file", "correct it, if it is not meant so", "%s", w.Error())
	}
}

// probeSecrets tells where each secret is found, and never what it is.
func (d *doctor) probeSecrets(ctx context.Context, n *notes) {
	if d.cfg == nil {
		n.skip("secrets", "which there should be, the configuration says")
		return
	}
	one := func(check, need string, read func(func(string) string, func(string) ([]byte, error)) (secret.Value, error)) {
		where := "the keyring"
		getenv := func(name string) string {
			value := d.getenv(name)
			if value != "" && name != "CREDENTIALS_DIRECTORY" {
				where = "the environment variable " + name
			}
			return value
		}
		readFile := func(name string) ([]byte, error) {
			data, err := secret.ReadFile(name)
			if err == nil {
				where = name
			}
			return data, err
		}
		secret, err := read(getenv, readFile)
		switch {
		case err != nil:
			n.failed(check, wrongUse(err), "correct it in the configuration")
		case secret.IsZero() && need != "":
			n.ok(check, "%s", need)
		case !secret.IsZero():
			n.ok(check, "found in %s", where)
		}
	}
	for _, p := range process.ExposedSecrets(ctx, d.cfg) {
		n.warn("secret files", "correct it, and replace the secret if others may have read it", "%s", p.Error())
	}
	if !d.cfg.Service.Embedded() {
		one("API key", "", func(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
			return process.APIKey(ctx, d.cfg, getenv, readFile)
		})
	}
	one("webhooks", "no secret is configured: webhooks of git hosts are refused", d.cfg.WebhookSecret)
	one("callbacks", "no secret is configured: notifications of the service are refused", d.cfg.CallbackSecret)
	one("page token", "no token is configured: the status page has no buttons", d.cfg.PageToken)
	one("messages", "no address is configured: nothing is posted for people",
		func(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
			return notify.Address(d.cfg, getenv, readFile)
		})
	if d.cfg.Clustered() {
		one("database address", "", d.cfg.DatabaseURL)
	}
	for i := range d.cfg.Projects {
		p := &d.cfg.Projects[i]
		one("token of "+p.Name, "", func(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value,
			error) {
			return d.cfg.ForgeToken(p, getenv, readFile)
		})
		token, err := d.cfg.ForgeToken(p, os.Getenv, secret.ReadFile)
		if err == nil && forge.OfGitHubsJob(token.Reveal(), os.Getenv) {
			n.warn("token of "+p.Name, "let the token of an App or of an account push and make the request: "+
				"locsync help ci", "it is the job's own, with which GitHub starts no checks of the request")
		}
	}
}
