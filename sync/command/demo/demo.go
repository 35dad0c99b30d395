// Package demo shows the whole loop on this machine: it makes a sample repository, edits it, pushes what changed to the
// embedded service, translates there, and pulls. It needs git, no configuration and no network.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/web"
)

// sample is the repository of the demo: one app in four formats.
//
//go:embed all:sample
var sample embed.FS

// edit is one of the demo: one text in one file, and the translation that a translator then gives it.
type edit struct {
	file, before, after string
	format              service.Format
	translated          string // the name and body of the translator's file
	body                string
}

var edits = []edit{
	{"web/locales/en.json", `"Save"`, `"Save changes"`, "structured-json", "de.json",
		`{"editor": {"save": "Änderungen speichern"}}`},
	{"config/locales/en.yml", "Good morning, %{name}!", "Hello, %{name}!", "structured-yaml", "de.yml",
		"mail:\n  greeting: \"Hallo, %{name}!\"\n"},
	{"ios/en.lproj/Localizable.strings", `"Cancel"`, `"Never mind"`, "ios-strings", "Localizable.strings",
		`"button.cancel" = "Doch nicht";`},
	{"android/src/main/res/values/strings.xml", "Sign in", "Log in", "android-xml", "strings.xml",
		`<resources><string name="login">Anmelden</string></resources>`},
}

// Stage is where a demo is shown.
type Stage struct {
	Out     io.Writer
	Screen  *terminal.Screen
	Options process.Options
	// Yourself has the one who reads along translate: the demo ends with the link to the page, which the daemon serves.
	Yourself bool
}

func (s Stage) say(format string, args ...any) { fmt.Fprintf(s.Out, format+"\n", args...) }

// Show makes the sample repository in a folder, which must be empty or missing, and shows the loop in it. Without a
// name a temporary folder is made, and removed again where that fails.
func Show(ctx context.Context, s Stage, dir string) (*config.Config, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, failure.Usage(errors.New("the demo needs git; install it and try again"))
	}
	made, err := emptyDir(dir)
	if err != nil {
		return nil, err
	}
	cfg, err := s.show(ctx, made)
	if err != nil && dir == "" {
		err = errors.Join(err, os.RemoveAll(made)) // half of a demo helps nothing; a named folder is kept
	}
	return cfg, err
}

// show makes the sample repository and shows the loop in it.
func (s Stage) show(ctx context.Context, dir string) (*config.Config, error) {
	if err := makeSample(ctx, dir); err != nil {
		return nil, err
	}
	cfg, err := process.ReadConfig(filepath.Join(dir, config.FileName))
	if err != nil {
		return nil, err
	}
	p, err := process.Open(ctx, cfg, s.Options)
	if err != nil {
		return nil, err
	}
	return cfg, errors.Join(s.loop(ctx, p, cfg, dir), p.Close())
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

// loop goes through the loop and explains each step.
func (s Stage) loop(ctx context.Context, p *process.Process, cfg *config.Config, dir string) error {
	s.say("1. A sample repository with resource files in four formats was made in\n   %s\n", dir)
	s.say("2. First push: everything is new, so everything goes to the embedded translation service.")
	if err := s.push(ctx, p); err != nil {
		return err
	}
	s.say("\n3. First pull: the service made pseudo-translations; they come back as one commit on branch l10n.\n   " +
		"The working tree stays as it was.")
	if err := s.pull(ctx, p, false); err != nil {
		return err
	}
	s.say("\n4. A developer edits one text in each of four files:")
	for _, e := range edits {
		if err := replaceIn(filepath.Join(dir, filepath.FromSlash(e.file)), e.before, e.after); err != nil {
			return err
		}
		s.say("   %-42s %s -> %s", e.file, e.before, e.after)
	}
	s.say("\n5. Push: only those four texts travel.")
	if err := s.push(ctx, p); err != nil {
		return err
	}
	if s.Yourself {
		return s.invite(p, cfg, dir)
	}
	s.say("\n6. A translator translates them into German, at the service.")
	if err := translate(ctx, p.Client, cfg.Projects[0].ID); err != nil {
		return err
	}
	s.say("\n7. Pull: one commit that changes those values and not a byte around them.")
	if err := s.pull(ctx, p, true); err != nil {
		return err
	}
	s.say("\n8. Push and pull again: nothing changed, so nothing is sent and nothing is committed.")
	if err := s.push(ctx, p); err != nil {
		return err
	}
	if err := s.pull(ctx, p, false); err != nil {
		return err
	}
	s.say("\nThe repository is in %s. To explore it:\n  cd %s\n  git log -p l10n --\n  cat locsync.toml", dir, dir)
	return nil
}

// invite is step 6 for the one who reads along.
func (s Stage) invite(p *process.Process, cfg *config.Config, dir string) error {
	if err := freeAddress(cfg); err != nil {
		return err
	}
	p.PageAt("http://" + cfg.Daemon.Listen)
	link, err := p.Invite("")
	if err != nil {
		return err
	}
	s.say("\n6. Translate them into German yourself, in a browser. This link makes an account, choose any name:\n   %s",
		link)
	s.say("   Then choose German, and save a text as final. A moment later it is a commit on branch l10n:\n   "+
		"git -C %s log -p l10n --", dir)
	return nil
}

func (s Stage) push(ctx context.Context, p *process.Process) error {
	answer, err := web.Do(ctx, p.Engine, web.Request{Action: "push"})
	for _, done := range answer.Push.Projects {
		s.Screen.Push(done, false)
	}
	return err
}

func (s Stage) pull(ctx context.Context, p *process.Process, diff bool) error {
	answer, err := web.Do(ctx, p.Engine, web.Request{Action: "pull", Pull: pull.Options{Diff: diff}})
	for _, done := range answer.Pull.Projects {
		s.Screen.Pull(done, false)
		if done.Diff != "" {
			s.say("")
			for line := range strings.Lines(done.Diff) {
				fmt.Fprint(s.Out, "   ", line)
			}
		}
	}
	return err
}

// translate does what a translator does: it gives the edited texts a German translation, at the service and over its
// interface.
func translate(ctx context.Context, client *service.Client, project string) error {
	for _, e := range edits {
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
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", failure.Usage(fmt.Errorf("find the current folder: %w; change into one that is there", err))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", failure.Usage(fmt.Errorf("make the demo's folder: %w; name another one with --dir", err))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", failure.Usage(err)
	}
	if len(entries) > 0 {
		return "", failure.Usage(fmt.Errorf("%s is not empty; name another folder with --dir", dir))
	}
	return dir, nil
}

// makeSample writes the sample files and commits them.
func makeSample(ctx context.Context, dir string) error {
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
