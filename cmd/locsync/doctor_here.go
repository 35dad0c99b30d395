package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"golang.org/x/term"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
	"github.com/locsync/locsync/sync/watch"
)

// doctor is one examination: what is known from the begin, and what several looks need.
type doctor struct {
	app       *app
	ctx       context.Context
	offline   bool
	limit     time.Duration // of what a look may wait for: shorter than the look, so that it can say what it waited for
	now       func() time.Time
	built     time.Time // when this program's commit was made; the zero time where that is not known
	getenv    func(string) string
	freeSpace func(string) (int64, bool)

	cfg     *config.Config // nil where there is none that can be read
	cfgErr  error
	scratch string // a folder to work in, removed at the end; "" where none could be made

	stateDir  *fact[string]
	service   *fact[*house] // its client
	contacted *fact[contacted]
	daemon    *fact[engine.Status]
	checkouts []*checkout
}

func (a *app) newDoctor(ctx context.Context, offline bool, limit time.Duration) *doctor {
	d := &doctor{app: a, ctx: ctx, offline: offline, limit: limit * 3 / 4, now: time.Now, built: builtAt(), getenv: os.Getenv, freeSpace: freeSpace}
	file, err := a.locate()
	if err == nil {
		d.cfg, err = config.Load(file)
	}
	d.cfgErr = err
	d.scratch, _ = os.MkdirTemp("", "locsync-doctor-") // what needs it says that there is none
	d.stateDir = newFact(func() (string, error) {
		dir, err := d.findState(ctx)
		return absolute(dir), err
	})
	d.checkouts = d.findCheckouts()
	d.service = newFact(func() (*house, error) { return d.connect(ctx) })
	d.contacted = newFact(func() (contacted, error) { return d.contact(ctx) })
	d.daemon = newFact(func() (engine.Status, error) { return d.askDaemon(ctx) })
	return d
}

// close lets everything go that was opened. It is not called where something hangs: the end of the process does it then.
func (d *doctor) close() {
	<-d.service.done
	if d.service.err == nil {
		_ = d.service.value.Close() // nothing was written
	}
	for _, c := range d.checkouts {
		if <-c.repo.done; c.repo.err == nil {
			_ = c.repo.value.Close()
		}
	}
	if d.scratch != "" {
		_ = os.RemoveAll(d.scratch)
	}
}

// absolute is a path that means the same to whoever reads a report.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// findState is the state folder of the configuration, or where there is none the one that would be the usual one here.
func (d *doctor) findState(ctx context.Context) (string, error) {
	if d.cfg != nil {
		return stateDir(ctx, d.cfg)
	}
	if dirs := d.getenv("STATE_DIRECTORY"); dirs != "" {
		return filepath.SplitList(dirs)[0], nil
	}
	repo, err := gitops.Open(ctx, ".", gitops.Options{})
	if err != nil {
		return "", errors.New("without a configuration it cannot be told where the state is")
	}
	return filepath.Join(repo.Facts().CommonDir, "locsync"), repo.Close()
}

// looks are all looks, in the order of the report.
func (d *doctor) looks() []look {
	looks := []look{
		{"program", "", "version", d.lookAtProgram},
		{"program", "", "git", d.lookAtGit},
		{"configuration", "", "file", d.lookAtConfiguration},
		{"configuration", "", "secrets", d.lookAtSecrets},
		{"state", "", "folder", d.lookAtState},
	}
	for _, c := range d.checkouts {
		looks = append(looks, d.looksAtCheckout(c)...)
	}
	if d.cfg != nil {
		looks = append(looks, look{"files", "", "files", d.lookAtFiles})
	}
	looks = append(looks, look{"file events", "", "limits", d.lookAtLimits})
	for _, c := range d.checkouts {
		if c.watched() {
			looks = append(looks, look{"file events", c.names(), "folders", func(ctx context.Context, n *notes) { d.lookAtWatching(ctx, n, c) }})
		}
	}
	if d.cfg != nil {
		looks = append(looks, d.looksAtService()...)
	}
	return append(looks, d.looksAtDaemon()...)
}

// lookAtProgram tells of this process: what a report is worthless without.
func (d *doctor) lookAtProgram(_ context.Context, n *notes) {
	b := version()
	n.ok("version", "locsync %s, commit %s, %s %s/%s", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
	now := d.now()
	zone, _ := now.Zone()
	switch {
	case now.Before(d.built):
		n.warn("clock", "set the clock of this machine, or let it be set (timedatectl set-ntp true): schedules, certificates and commits go by it",
			"it says %s, which is before this program was built", inUTC(now))
	default:
		n.ok("clock", "%s; this process's zone is %s", inUTC(now), zone)
	}
	if u, err := user.Current(); err == nil {
		n.ok("user", "%s (%s)", u.Username, u.Uid)
	}
	var set []string
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && slices.ContainsFunc([]string{"LOCSYNC_", "GIT_", "SSH_AUTH_SOCK", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "XDG_RUNTIME_DIR"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) }) || slices.Contains([]string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY"}, strings.ToUpper(name)) {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	if len(set) == 0 {
		set = []string{"none of those that matter"}
	}
	n.ok("environment", "set are %s", strings.Join(set, ", "))
	d.lookAtTerminal(n)
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

func (d *doctor) lookAtTerminal(n *notes) {
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		n.ok("terminal", "standard output is none")
		return
	}
	s := d.app.screen()
	colours := "with colours"
	if !s.colours {
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
		n.warn("terminal", "set LANG to a locale of UTF-8, like C.UTF-8", "%d x %d, %s; its locale is %q: texts of other scripts may show as something else", s.width, s.height, colours, locale)
		return
	}
	n.ok("terminal", "%d x %d, %s, locale %s", s.width, s.height, colours, orNone(locale))
}

func (d *doctor) lookAtGit(ctx context.Context, n *notes) {
	path, release, err := gitops.GitProgram(ctx)
	switch {
	case err != nil:
		n.failed("git", err, "look whether `git version` works for this user")
	case path == "":
		n.warn("git", "install git, or put its folder into PATH",
			"there is no git program in PATH: content filters (LFS), credential helpers, partial clones and a checked-out branch that follows do not work")
	case gitops.OldGit(release):
		n.fault("git", exitWrong, "install git "+gitops.OldestGit+" or a younger one", "%s is git %s, which is too old", path, release)
	default:
		n.ok("git", "%s, %s", release, path)
	}
}

func (d *doctor) lookAtConfiguration(_ context.Context, n *notes) {
	var problems config.Problems
	switch {
	case errors.As(d.cfgErr, &problems):
		for _, p := range problems {
			n.fault("file", exitWrong, "correct it; config.example.toml shows every key with what is allowed", "%s", p.Error())
		}
		return
	case d.cfgErr != nil:
		n.failed("file", usageError{d.cfgErr}, "name a file that this user can read with --config")
		return
	}
	n.ok("file", "%s is valid: %s", absolute(d.cfg.File), count(len(d.cfg.Projects), "project"))
	for _, w := range d.cfg.Warnings {
		n.warn("file", "correct it, if it is not meant so", "%s", w.Error())
	}
}

// lookAtSecrets tells where each secret is found, and never what it is.
func (d *doctor) lookAtSecrets(_ context.Context, n *notes) {
	if d.cfg == nil {
		n.skip("secrets", "which there should be, the configuration says")
		return
	}
	one := func(check, need string, read func(func(string) string, func(string) ([]byte, error)) (config.Secret, error)) {
		where := ""
		getenv := func(name string) string {
			value := d.getenv(name)
			if value != "" && name != "CREDENTIALS_DIRECTORY" {
				where = "the environment variable " + name
			}
			return value
		}
		readFile := func(name string) ([]byte, error) {
			data, err := os.ReadFile(name)
			if err == nil {
				where = name
			}
			return data, err
		}
		secret, err := read(getenv, readFile)
		switch {
		case err != nil:
			n.failed(check, usageError{err}, "set one of the places that it may come from")
		case secret.IsZero() && need != "":
			n.ok(check, "%s", need)
		case !secret.IsZero():
			n.ok(check, "found in %s", where)
		}
	}
	if !d.cfg.Service.Embedded() {
		one("API key", "", d.cfg.APIKey)
	}
	one("webhooks", "no secret is configured: webhooks of git hosts are refused", d.cfg.WebhookSecret)
	one("callbacks", "no secret is configured: notifications of the service are refused", d.cfg.CallbackSecret)
	for i := range d.cfg.Projects {
		p := &d.cfg.Projects[i]
		one("forge token", "", func(getenv func(string) string, readFile func(string) ([]byte, error)) (config.Secret, error) {
			return d.cfg.ForgeToken(p, getenv, readFile)
		})
	}
}

const (
	littleSpace = 100 << 20 // a fault away from a full disk
	noSpace     = 10 << 20
)

func (d *doctor) lookAtState(ctx context.Context, n *notes) {
	dir, err := d.stateDir.get(ctx)
	switch {
	case err != nil && d.cfg == nil:
		n.skip("folder", "where it is, the configuration says")
		return
	case err != nil && d.noRepository(ctx):
		n.skip("folder", "it lies in the repository, which cannot be opened")
		return
	case err != nil:
		n.failed("folder", err, "set state_dir")
		return
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := nearest(dir)
		if err := mayWrite(above); err != nil {
			n.failed("folder", usageError{fmt.Errorf("%s is not there and cannot be made in %s: %w", dir, above, err)}, "make it for this user, or name another folder in state_dir")
			return
		}
		n.ok("folder", "%s is not there yet; the first push, pull or daemon makes it", dir)
	case err != nil:
		n.failed("folder", usageError{fmt.Errorf("look at the state folder: %w", err)}, "let this user into it, or name another folder in state_dir")
		return
	case !info.IsDir():
		n.fault("folder", exitWrong, "move it away, or name a folder in state_dir", "%s is no folder", dir)
		return
	default:
		if err := tryToWrite(dir); err != nil {
			n.failed("folder", usageError{fmt.Errorf("%s cannot be written to: %w", dir, err)}, "let this user write there, or name another folder in state_dir")
		} else {
			n.ok("folder", "%s can be written to", dir)
		}
		if owner, ok := ownerOf(info); ok && owner != os.Getuid() {
			n.warn("folder", fmt.Sprintf("run locsync doctor as that user, too: what works for one need not work for the other (sudo -u '#%d' locsync doctor)", owner), "%s belongs to user %d, and this is user %d", dir, owner, os.Getuid())
		}
	}
	d.lookAtDisk(n, dir)
	d.lookAtStore(n, dir)
}

// noRepository says whether a repository on this machine cannot be opened.
func (d *doctor) noRepository(ctx context.Context) bool {
	return slices.ContainsFunc(d.checkouts, func(c *checkout) bool {
		_, err := c.repo.get(ctx)
		return err != nil && c.cloned() == nil
	})
}

// tryToWrite makes a file in a folder, fills it, and takes it away again.
func tryToWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".locsync-doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("whether this can be written\n")
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
}

// lookAtDisk tells what the state lies on.
func (d *doctor) lookAtDisk(n *notes, dir string) {
	kind, deaf := watch.FileSystem(dir)
	switch {
	case deaf != "" && kind != "overlay":
		n.warn("file system", "set state_dir to a folder on a disk of this machine", "the state lies on %s (%s), where locks and writes that are safe on a disk are not", deaf, kind)
	case kind == "overlay":
		n.warn("file system", "mount a volume for the state, if this container is made anew now and then",
			"the state lies in a container's own layer (overlay) and ends with the container: what was pushed and pulled is worked out anew then")
	case kind != "":
		n.ok("file system", "%s", kind)
	}
	free, ok := d.freeSpace(dir)
	switch {
	case !ok:
	case free < noSpace:
		n.fault("disk", exitLater, "make room there, or name a folder on another disk in state_dir", "%s is free for the state", size(free))
	case free < littleSpace:
		n.warn("disk", "make room there, or name a folder on another disk in state_dir", "only %s is free for the state", size(free))
	default:
		n.ok("disk", "%s is free", size(free))
	}
}

// nearest is a folder, or the nearest one above it that there is.
func nearest(dir string) string {
	for {
		above := filepath.Dir(dir)
		if _, err := os.Stat(dir); err == nil || above == dir {
			return dir
		}
		dir = above
	}
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

func (d *doctor) lookAtStore(n *notes, dir string) {
	scratch, err := d.scratchFolder("state")
	if err != nil {
		n.failed("store", err, noScratch)
		return
	}
	found, err := state.Examine(dir, scratch)
	switch {
	case err != nil:
		n.failed("store", usageError{err}, "let this user read it, or use the locsync that wrote it")
	case found.Damage != nil:
		n.warn("store", "nothing has to be done: the next start puts it aside and works it out anew; the disk may deserve a look", "%v", found.Damage)
	case found.There:
		n.ok("store", "sound, %s", size(found.Size))
	default:
		n.ok("store", "empty: nothing was pushed or pulled yet")
	}
	if len(found.Aside) > 0 {
		n.warn("store", "remove it once nobody wants to look at it", "%s, put aside because of damage, %s in %s", strings.Join(found.Aside, ", "), lies(len(found.Aside)), dir)
	}
}

func lies(n int) string {
	if n == 1 {
		return "lies"
	}
	return "lie"
}

// noScratch is what to do where no temporary folder can be made.
const noScratch = "make room in the folder for temporary files, or let TMPDIR name another"

// scratchFolder is a new folder to work in.
func (d *doctor) scratchFolder(name string) (string, error) {
	if d.scratch == "" {
		return "", fmt.Errorf("no temporary folder can be made in %s", os.TempDir())
	}
	return os.MkdirTemp(d.scratch, name)
}

// connect makes a client of the configured service: that of the daemon where the service is embedded and a daemon has it. Without a key it is made all
// the same, because the way to the service can be looked at without.
func (d *doctor) connect(ctx context.Context) (*house, error) {
	if d.cfg == nil {
		return nil, errors.New("which service it is, the configuration says")
	}
	dir, err := d.stateDir.get(ctx)
	if err != nil && d.cfg.Service.Embedded() {
		return nil, err
	}
	h := &house{log: zap.NewNop(), dir: dir}
	if d.cfg.Service.Embedded() {
		return h, d.connectEmbedded(ctx, h)
	}
	if _, err := h.connect(d.cfg); err == nil || !wrong(err) {
		return h, err
	}
	_, err = h.clientWith(service.Options{BaseURL: d.cfg.Service.URL, UserAgent: "locsync/" + version().Version, RequestsPerSecond: d.cfg.Service.RequestsPerSecond})
	return h, err
}
