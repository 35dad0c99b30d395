package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/discover"
)

func (a *app) initCommand() *cobra.Command {
	var given answers
	var o initOptions
	c := &cobra.Command{
		Use:   "init",
		Short: "Look at this repository and write a working locsync.toml",
		Long: "init finds the repository's resource files and languages, says what it found and what it left out, and writes a locsync.toml that works\n" +
			"as it stands. At a terminal it asks for what it cannot know; the flags answer beforehand, and anywhere else it takes what it found and\n" +
			"the embedded service. Nobody is called. It refuses to overwrite a file.",
		Example: "  cd my-app && locsync init && locsync check\n  locsync init --languages de,fr --url https://t.example.com --account-id 42\n  locsync init --dry-run   # shows the file, writes none",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.initialize(cmd.Context(), given, o) },
	}
	f := c.Flags()
	f.StringVar(&given.source, "source", "", "the `LANGUAGE` that the source files are written in")
	f.StringSliceVar(&given.targets, "languages", nil, "the `LANGUAGES` to translate into, separated by commas (default: those that are there)")
	f.StringVar(&given.url, "url", "", "the service's `ADDRESS` (default: embedded, a service inside locsync)")
	f.StringVar(&given.account, "account-id", "", "the account's `ID` at the service")
	f.StringVar(&given.keyEnv, "api-key-env", "", "the environment `VARIABLE` that holds the API key (default: LOCSYNC_API_KEY)")
	f.StringVar(&given.id, "project-id", "", "the project's `ID` at the service")
	f.StringVar(&given.branch, "branch", "", "the `BRANCH` that translations are committed on (default: l10n)")
	f.StringVar(&given.name, "name", "", "the project's `NAME` in messages (default: the folder's)")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the file and write none")
	f.BoolVar(&o.noInput, "no-input", false, "do not ask, also at a terminal")
	return c
}

type initOptions struct{ dryRun, noInput bool }

// initialized is the result of init.
type initialized struct {
	File    string `json:"file"`
	Written bool   `json:"written"`
	Text    string `json:"text"`
	discover.Result
}

func (a *app) initialize(ctx context.Context, given answers, o initOptions) error {
	dir, err := here()
	if err != nil {
		return err
	}
	top, listing, err := standsIn(ctx, dir)
	if err != nil {
		return err
	}
	file := a.configFile
	if file == "" {
		file = filepath.Join(top, config.FileName)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !o.dryRun {
		return usageError{fmt.Errorf("%s exists already; it is not overwritten", file)}
	}
	for i, code := range given.targets {
		given.targets[i] = strings.TrimSpace(code)
	}
	p := &proposal{answers: given, file: file, repository: filepath.ToSlash(seenFrom(file, top)), look: func(source string) discover.Result {
		return discover.Find(os.DirFS(top), listing, discover.Options{Source: source})
	}}
	p.begin(filepath.Base(top))
	if len(p.found.Groups) == 0 {
		return usageError{p.nothingFound(top)}
	}
	asks := !o.noInput && !o.dryRun && a.atTerminal()
	if !asks {
		if p.url == config.Embedded && given.account+given.keyEnv != "" {
			return usageError{errors.New("--account-id and --api-key-env are for a service that --url names; the embedded one has no accounts")}
		}
		if p.found.Unsure != "" {
			return usageError{errors.New(p.found.Unsure + "; name it with --source")}
		}
		if err := p.check(); err != nil {
			return err
		}
	} else {
		a.sayFound(p)
		if err := a.askFor(ctx, p, given); err != nil {
			return err
		}
	}
	text := p.text()
	if !o.dryRun {
		if err := writeNew(file, text); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.print(initialized{file, !o.dryRun, text, p.found})
	}
	if o.dryRun {
		fmt.Fprint(a.out, text)
		return nil
	}
	if !asks {
		a.sayFound(p)
	}
	a.sayNext(p)
	return nil
}

// seenFrom is the path of the repository as the configuration file says it: relative to itself, so that both can be moved, unless a symbolic link on the
// way makes .. lead elsewhere.
func seenFrom(file, top string) string {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return top
	}
	from, ferr := filepath.EvalSymlinks(folder)
	to, terr := filepath.EvalSymlinks(top)
	way, err := filepath.Rel(from, to)
	if errors.Join(ferr, terr, err) != nil {
		return top
	}
	if there, err := filepath.EvalSymlinks(filepath.Join(folder, way)); err != nil || there != to {
		return top
	}
	return way
}

// standsIn is the top of the repository that a folder is in, and its files as git knows them.
func standsIn(ctx context.Context, dir string) (top string, l discover.Listing, err error) {
	repo, err := gitops.Open(ctx, dir, gitops.Options{})
	if err != nil {
		return "", l, usageError{fmt.Errorf("%w; run locsync init in the repository that holds the resource files", err)}
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if top = repo.Facts().WorkTree; top == "" {
		return "", l, usageError{errors.New("this is a bare repository; write locsync.toml from config.example.toml, with push.source set to a branch")}
	}
	tracked, others, known, err := repo.Listed(ctx)
	if err != nil {
		return "", l, err
	}
	if known {
		return top, discover.Listing{Tracked: tracked, Others: others}, nil
	}
	l, err = discover.Walk(os.DirFS(top))
	return top, l, err
}

// nothingFound says what was looked for, and what looked like it.
func (p *proposal) nothingFound(top string) error {
	if p.source != "" {
		if all := p.look(""); len(all.Groups) > 0 {
			return fmt.Errorf("no resource file is in %s; %s", p.source, all.There())
		}
	}
	said := fmt.Sprintf("no resource files were found below %s: no file whose path names a language, such as locales/en.json or res/values/strings.xml. "+
		"Write locsync.toml by hand; config.example.toml shows every key", top)
	for _, l := range p.found.LeftOut[:min(len(p.found.LeftOut), mostShown)] {
		said += fmt.Sprintf("\n  %s %s", l.Path, l.Reason)
	}
	return errors.New(said)
}

// writeNew writes a file that is not there yet.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return usageError{fmt.Errorf("write the configuration: %w", err)}
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write the configuration: %w", err), os.Remove(file)) // half of one would be in the way of the next try
	}
	return nil
}

// mostShown bounds lists that a person reads.
const mostShown = 12

// sayFound explains what was found and why.
func (a *app) sayFound(p *proposal) {
	r, say := p.found, a.sayWrapped
	if r.Unsure != "" {
		say("Source language: cannot be told; %s", r.Unsure)
	} else {
		say("Source language: %s (%s)", r.Source, r.Reason)
	}
	if p.started {
		say("Target languages: none were found; %q stands in the file as a start", r.Targets[0])
	} else {
		say("Target languages: %s", strings.Join(r.Targets, ", "))
	}
	for _, g := range r.Groups {
		say("")
		say("%s: %s -> %s", g.Kind, g.Source, g.Output)
		languages := "no translation yet"
		if n := len(g.Languages) - 1; n > 0 {
			languages = "translated into " + count(n, "language")
			if n < len(r.Targets) {
				languages += ": " + strings.Join(g.Languages[1:], ", ")
			}
		}
		say("  %s, %s, %s; format %s, collection %s", count(len(g.Files), "source file"), count(g.Keys, "key"), languages, g.Format, g.Collection)
		if spelled := g.Spelled(r); len(spelled) > 0 {
			say("  in paths, %s", strings.Join(spelled, ", "))
		}
	}
	if len(r.LeftOut) > 0 {
		say("")
		say("Left out:")
		for _, l := range r.LeftOut[:min(len(r.LeftOut), mostShown)] {
			files := ""
			if l.Files > 0 {
				files = " (" + count(l.Files, "file") + ")"
			}
			say("  %s%s %s", l.Path, files, l.Reason)
		}
		if more := len(r.LeftOut) - mostShown; more > 0 {
			say("  and %d more; --json lists them", more)
		}
	}
	say("")
}

// sayNext says what was written and what to do now.
func (a *app) sayNext(p *proposal) {
	service := "It works as it stands, with the embedded service."
	if p.url != config.Embedded {
		service = fmt.Sprintf("The API key for %s is to be in the environment as %s.", p.url, p.keyEnv)
	}
	a.sayWrapped("Wrote %s. %s Next:", p.file, service)
	if p.url != config.Embedded && p.id == "" {
		a.say("  locsync project create        # makes the project; write its id into the file")
	}
	a.say("  locsync check")
	if slices.ContainsFunc(p.found.Groups, func(g discover.Group) bool { return len(g.Languages) > 1 }) {
		a.say("  locsync push --translations   # once, and first: brings in what is translated")
	}
	a.say("  locsync sync --dry-run")
}

// sayWrapped says a line, which a terminal shows broken between words.
func (a *app) sayWrapped(format string, args ...any) {
	whole := fmt.Sprintf(format, args...)
	text := strings.TrimLeft(whole, " ")
	a.screen().line(whole[:len(whole)-len(text)], plainly, text)
}
