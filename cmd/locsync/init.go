package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/discover"
)

func initCommand(a *app) *cobra.Command {
	var given answers
	var o initOptions
	c := &cobra.Command{
		Use:   "init",
		Short: "Find the resource files of this repository and write a working locsync.toml",
		Long: "init finds the repository's resource files and languages, reports what it found and what it left out, and " +
			"writes a locsync.toml that works\n" +
			"without changes. At a terminal it asks for what it cannot know; flags answer in advance. Otherwise it uses what " +
			"it found and the embedded\n" +
			"service, whose commits stay in this repository. It makes no network requests and never overwrites a file.",
		Example: "  cd my-app && locsync init && locsync check\n  locsync init --languages de,fr --url " +
			"https://t.example.com --account-id 42\n  locsync init --dry-run   # shows the file, writes none",
		RunE: func(cmd *cobra.Command, _ []string) error { return initialize(cmd.Context(), a, given, o) },
	}
	f := c.Flags()
	f.StringVar(&given.source, "source", "", "the `LANGUAGE` that the source files are written in")
	f.StringSliceVar(&given.targets, "languages", nil, "the `LANGUAGES` to translate into, separated by commas "+
		"(default: those that are there)")
	f.StringVar(&given.url, "url", "", "the service's `ADDRESS` (default: embedded, a service inside locsync)")
	f.StringVar(&given.account, "account-id", "", "the account's `ID` at the service")
	f.StringVar(&given.keyEnv, "api-key-env", "", "the environment `VARIABLE` that holds the API key (default: "+
		"LOCSYNC_API_KEY)")
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

func initialize(ctx context.Context, a *app, given answers, o initOptions) error {
	dir, err := here()
	if err != nil {
		return err
	}
	top, listing, branches, err := standsIn(ctx, dir)
	if err != nil {
		return err
	}
	file := a.configFile
	if file == "" {
		file = filepath.Join(top, config.FileName)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !o.dryRun {
		return misuse(fmt.Errorf("%s exists already; it is not overwritten", file))
	}
	for i, code := range given.targets {
		given.targets[i] = strings.TrimSpace(code)
	}
	p := &proposal{answers: given, file: file, repository: filepath.ToSlash(seenFrom(file, top)), branches: branches,
		look: func(source string) discover.Result {
			return discover.Find(os.DirFS(top), listing, discover.Options{Source: source})
		}}
	p.begin(filepath.Base(top))
	if len(p.found.Groups) == 0 {
		return misuse(p.nothingFound(top))
	}
	asks := !o.noInput && !o.dryRun && atTerminal(a)
	if !asks {
		if err := p.sure(given); err != nil {
			return err
		}
	} else {
		sayFound(a, p)
		if err := askFor(ctx, a, p, given); err != nil {
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
		sayFound(a, p)
	}
	sayNext(a, p)
	return nil
}

// sure refuses what would have to be asked for, and answers that do not fit.
func (p *proposal) sure(given answers) error {
	if p.url == config.Embedded && given.account+given.keyEnv != "" {
		return misuse(errors.New("--account-id and --api-key-env are for a service that --url names; the embedded one " +
			"has no accounts"))
	}
	if p.found.Unsure != "" {
		return misuse(errors.New(p.found.Unsure + "; name it with --source"))
	}
	return p.check()
}

// seenFrom is the path of the repository as the configuration file says it: relative to itself, so that both can be
// moved, unless a symbolic link on the way makes .. lead elsewhere.
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

// branches are those that init finds: the one that the product is built from, and the one that is checked out. Either
// may be "".
type branches struct{ main, current string }

// standsIn is the top of the repository that a folder is in, its files as git knows them, and its branches.
func standsIn(ctx context.Context, dir string) (top string, l discover.Listing, b branches, err error) {
	repo, err := gitops.Open(ctx, dir, gitops.Options{})
	if err != nil {
		return "", l, b, misuse(fmt.Errorf("%w; run locsync init in the repository that holds the resource files", err))
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if top = repo.Facts().WorkTree; top == "" {
		return "", l, b, misuse(errors.New("this is a bare repository; write locsync.toml from config.example.toml, " +
			"with push.source set to a branch"))
	}
	var mainErr, currentErr error
	b.main, mainErr = repo.Branches.Default("origin")
	b.current, _, currentErr = repo.Head()
	tracked, others, known, err := repo.Listed(ctx)
	if err := errors.Join(mainErr, currentErr, err); err != nil {
		return "", l, b, err
	}
	if known {
		return top, discover.Listing{Tracked: tracked, Others: others}, b, nil
	}
	l, err = discover.Walk(os.DirFS(top))
	return top, l, b, err
}

// nothingFound says what was looked for, and what looked like it: the unsupported format that the texts are in, or the
// one file that has a problem, first.
func (p *proposal) nothingFound(top string) error {
	if p.source != "" {
		if all := p.look(""); len(all.Groups) > 0 {
			return fmt.Errorf("no resource file is in %s; %s", p.source, all.There())
		}
	}
	const byHand = "Write locsync.toml by hand; \"locsync help configuration\" shows how"
	left := p.found.LeftOut
	said := fmt.Sprintf("no resource files were found below %s: no file whose path names a language, such as "+
		"locales/en.json or res/values/strings.xml. %s", top, byHand)
	switch {
	case p.found.Mostly != "":
		said = p.found.Mostly + ". No resource files of other formats were found"
	case len(left) == 1 && left[0].Broken():
		return fmt.Errorf("the only resource files that were found, %s, %s. Repair the file, then run locsync init again",
			left[0].Path, left[0].Reason)
	}
	for _, l := range left[:min(len(left), mostShown)] {
		said += fmt.Sprintf("\n  %s %s", l.Path, l.Reason)
	}
	return errors.New(said)
}

// writeNew writes a file that is not there yet.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return misuse(fmt.Errorf("write the configuration: %w", err))
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		// half of one would be in the way of the next try
		return errors.Join(fmt.Errorf("write the configuration: %w", err), os.Remove(file))
	}
	return nil
}

// mostShown bounds lists that a person reads.
const mostShown = 12

// sayWrapped says a line, which a terminal shows broken between words.
func (a *app) sayWrapped(format string, args ...any) {
	whole := fmt.Sprintf(format, args...)
	text := strings.TrimLeft(whole, " ")
	a.screen().Text(whole[:len(whole)-len(text)], text)
}
