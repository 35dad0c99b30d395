package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"embed"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/daemon"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/pull"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/web"
)

func demoCommand(a *app) *cobra.Command {
	var dir string
	keep := false
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole loop on this machine, with nothing configured",
		Long: "demo makes a sample repository with resource files in four formats, edits it, pushes what changed to a " +
			"translation service\nthat runs inside this program, translates, and commits the translations back. It needs git " +
			"and nothing else.",
		Example: "  locsync demo\n  locsync demo --dir /tmp/sample --keep-running",
		RunE:    func(cmd *cobra.Command, _ []string) error { return showDemo(cmd.Context(), a, dir, keep) },
	}
	c.Flags().StringVar(&dir, "dir", "", "make the sample repository in `DIR`, which must be empty or missing (default: "+
		"a temporary folder)")
	c.Flags().BoolVar(&keep, "keep-running", false, "leave the daemon and its status page up, until Ctrl-C")
	return c
}

// sample is the repository of the demo: one app in four formats.
//
//go:embed all:sample
var sample embed.FS

// An edit of the demo: one text in one file, and the translation that a translator then gives it.
type demoEdit struct {
	file, before, after string
	format              service.Format
	translated          string // the name and body of the translator's file
	body                string
}

var demoEdits = []demoEdit{
	{"web/locales/en.json", `"Save"`, `"Save changes"`, "structured-json", "de.json",
		`{"editor": {"save": "Änderungen speichern"}}`},
	{"config/locales/en.yml", "Good morning, %{name}!", "Hello, %{name}!", "structured-yaml", "de.yml",
		"mail:\n  greeting: \"Hallo, %{name}!\"\n"},
	{"ios/en.lproj/Localizable.strings", `"Cancel"`, `"Never mind"`, "ios-strings", "Localizable.strings",
		`"button.cancel" = "Doch nicht";`},
	{"android/src/main/res/values/strings.xml", "Sign in", "Log in", "android-xml", "strings.xml",
		`<resources><string name="login">Anmelden</string></resources>`},
}

func showDemo(ctx context.Context, a *app, dir string, keep bool) error {
	if _, err := exec.LookPath("git"); err != nil {
		return misuse(errors.New("the demo needs git; install it and try again"))
	}
	made, err := emptyDir(dir)
	if err != nil {
		return err
	}
	cfg, err := makeStory(ctx, a, made)
	if err != nil && dir == "" {
		err = errors.Join(err, os.RemoveAll(made)) // half a story helps nothing; --dir keeps it
	}
	if err != nil {
		return err
	}
	if keep {
		if err := freeAddress(cfg); err != nil {
			return err
		}
		a.say("\nThe daemon goes on: edit a file in the repository and look at http://%s/ (Ctrl-C ends it).",
			cfg.Daemon.Listen)
		runLog, err := a.logger(zap.InfoLevel)
		if err != nil {
			return err
		}
		return daemon.Run(ctx, cfg, a.options(runLog))
	}
	return nil
}

// makeStory makes the sample repository in dir and tells the story of it.
func makeStory(ctx context.Context, a *app, dir string) (*config.Config, error) {
	if err := makeSample(ctx, a, dir); err != nil {
		return nil, err
	}
	cfg, err := process.ReadConfig(filepath.Join(dir, config.FileName))
	if err != nil {
		return nil, err
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return nil, err
	}
	p, err := process.Open(ctx, cfg, a.options(log))
	if err != nil {
		return nil, err
	}
	return cfg, errors.Join(tellStory(ctx, a, p, cfg, dir), p.Close())
}

// freeAddress gives the daemon another port where its own is taken, by a daemon most likely: the demo works beside it.
func freeAddress(cfg *config.Config) error {
	for _, address := range []string{cfg.Daemon.Listen, "127.0.0.1:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		cfg.Daemon.Listen = l.Addr().String()
		return l.Close()
	}
	return errors.New("no address on 127.0.0.1 is free for the status page")
}

func (a *app) say(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// tellStory runs the loop and tells its story.
func tellStory(ctx context.Context, a *app, p *process.Process, cfg *config.Config, dir string) error {
	a.say("1. A sample repository with resource files in four formats was made in\n   %s\n", dir)
	a.say("2. First push: everything is new, so everything goes to the embedded translation service.")
	if err := demoPush(ctx, a, p); err != nil {
		return err
	}
	a.say("\n3. First pull: the service made pseudo-translations; they come back as one commit on branch l10n.\n   " +
		"The working tree stays as it was.")
	if err := demoPull(ctx, a, p, false); err != nil {
		return err
	}
	a.say("\n4. A developer edits one text in each of four files:")
	for _, e := range demoEdits {
		if err := replaceIn(filepath.Join(dir, filepath.FromSlash(e.file)), e.before, e.after); err != nil {
			return err
		}
		a.say("   %-42s %s -> %s", e.file, e.before, e.after)
	}
	a.say("\n5. Push: only those four texts travel.")
	if err := demoPush(ctx, a, p); err != nil {
		return err
	}
	a.say("\n6. A translator translates them into German, at the service.")
	if err := translate(ctx, p.Client, cfg.Projects[0].ID); err != nil {
		return err
	}
	a.say("\n7. Pull: one commit that changes those values and not a byte around them.")
	if err := demoPull(ctx, a, p, true); err != nil {
		return err
	}
	a.say("\n8. Push and pull again: nothing changed, so nothing is sent and nothing is committed.")
	if err := demoPush(ctx, a, p); err != nil {
		return err
	}
	if err := demoPull(ctx, a, p, false); err != nil {
		return err
	}
	a.say("\nThe repository is in %s. To explore it:\n  cd %s\n  git log -p l10n --\n  cat locsync.toml", dir, dir)
	return nil
}

func demoPush(ctx context.Context, a *app, p *process.Process) error {
	answer, err := web.Do(ctx, p.Engine, web.Request{Action: "push"})
	for _, done := range answer.Push.Projects {
		a.screen().Push(done, false)
	}
	return err
}

func demoPull(ctx context.Context, a *app, p *process.Process, diff bool) error {
	answer, err := web.Do(ctx, p.Engine, web.Request{Action: "pull", Pull: pull.Options{Diff: diff}})
	for _, done := range answer.Pull.Projects {
		a.screen().Pull(done, false)
		if done.Diff != "" {
			a.say("")
			for line := range strings.Lines(done.Diff) {
				fmt.Fprint(a.out, "   ", line)
			}
		}
	}
	return err
}

// translate does what a translator does: it gives the edited texts a German translation, at the service and over its
// interface.
func translate(ctx context.Context, client *service.Client, project string) error {
	for _, e := range demoEdits {
		id, err := client.Strings().StartImport(ctx, service.ImportRequest{
			Project: project, Collection: collectionOf(e.format), Language: "de", Format: e.format,
			CompletionState: service.Final,
			Files:           []service.Upload{{Name: e.translated, Body: []byte(e.body)}},
		})
		if err != nil {
			return fmt.Errorf("translate: %w", err)
		}
		if _, err := client.Strings().WaitImport(ctx, id); err != nil {
			return fmt.Errorf("translate: %w", err)
		}
	}
	return nil
}

// collectionOf is the collection that the sample's configuration gives to a format.
func collectionOf(f service.Format) string {
	return map[service.Format]string{"structured-json": "web", "structured-yaml": "mail", "ios-strings": "ios",
		"android-xml": "android"}[f]
}

// emptyDir makes the demo's folder. One with something in it is left alone.
func emptyDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "locsync-demo-")
	}
	if _, err := here(); err != nil && !filepath.IsAbs(dir) {
		return "", err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", misuse(fmt.Errorf("make the demo's folder: %w; name another one with --dir", err))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", misuse(err)
	}
	if len(entries) > 0 {
		return "", misuse(fmt.Errorf("%s is not empty; name another folder with --dir", dir))
	}
	return dir, nil
}

// makeSample writes the sample files and commits them.
func makeSample(ctx context.Context, a *app, dir string) error {
	root, err := fs.Sub(sample, "sample")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, root); err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Demo"}, {"config", "user.email", "demo@localhost"},
		{"config", "core.autocrlf", "false"},
		{"add", "-A"}, {"commit", "-q", "-m", "A sample app"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		cmd.Env = append(withoutGit(os.Environ()), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// withoutGit drops the variables by which a git hook would bend git to another repository.
func withoutGit(env []string) []string {
	var out []string
	for _, v := range env {
		if !strings.HasPrefix(v, "GIT_") {
			out = append(out, v)
		}
	}
	return out
}

func replaceIn(file, before, after string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.Count(string(data), before) != 1 {
		return fmt.Errorf("%s does not hold %q once", file, before)
	}
	return os.WriteFile(file, []byte(strings.Replace(string(data), before, after, 1)), 0o644)
}
