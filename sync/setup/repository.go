package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/setup/migrate"
	"github.com/locsync/locsync/sync/terminal"
)

// Options say what is proposed where.
type Options struct {
	Answers
	File    string // that the configuration is written to; "" is the one that the program finds by itself
	Written bool   // it may be there already
	From    string // the configuration of another tool, whose files are taken over; "" for none
}

// New is what is proposed for the repository that a folder is in.
func New(ctx context.Context, dir string, o Options) (*Proposal, error) {
	top, listing, branches, err := checkedOut(ctx, dir)
	if err != nil {
		return nil, err
	}
	file, given := o.File, o.Answers
	if file == "" {
		file = filepath.Join(top, config.FileName)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) && !o.Written {
		return nil, failure.Usage(fmt.Errorf("%s exists already; it is not overwritten", file))
	}
	for i, code := range given.Targets {
		given.Targets[i] = strings.TrimSpace(code)
	}
	fsys := os.DirFS(top)
	p := &Proposal{Answers: given, File: file, repository: filepath.ToSlash(seenFrom(file, top)), branches: branches,
		folder: filepath.Base(top), other: migrate.Detect(fsys), all: slices.Concat(listing.Tracked, listing.Others)}
	p.look = func(source string) discover.Result {
		return discover.Find(fsys, p.named(listing), discover.Options{Source: source, Pairs: p.pairs()})
	}
	p.read = func(name string) (migrate.Found, error) { return migrate.Read(fsys, name) }
	if o.From != "" {
		from, err := within(top, dir, o.From)
		if err != nil {
			return nil, failure.Usage(err)
		}
		return p, p.TakeOver(from)
	}
	p.begin()
	if len(p.Found.Groups) == 0 {
		return nil, failure.Usage(p.nothingFound(top))
	}
	return p, nil
}

// within is the path of a file in the repository.
func within(top, dir, file string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", fmt.Errorf("--from: %w", err)
	}
	root, err := filepath.EvalSymlinks(top)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("--from: %s is not in the repository", file)
	}
	return filepath.ToSlash(name), nil
}

// Sure refuses what would have to be asked for, and answers that do not fit.
func (p *Proposal) Sure(given Answers) error {
	if p.URL == config.Embedded && given.Account+given.KeyEnv != "" {
		return failure.Usage(errors.New("--account-id and --api-key-env are for a service that --url names; the " +
			"embedded one has no accounts"))
	}
	if p.Found.Unsure != "" {
		return failure.Usage(errors.New(p.Found.Unsure + "; or name the source language with --source"))
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

// checkedOut is the top of the repository that a folder is in, its files as git knows them, and its branches.
func checkedOut(ctx context.Context, dir string) (top string, l discover.Listing, b branches, err error) {
	repo, err := gitops.Open(ctx, dir, gitops.Options{})
	if errors.Is(err, gitops.ErrNotRepo) {
		return "", l, b, failure.Usage(fmt.Errorf("%s is in no git repository; run git init here, or locsync init in the "+
			"repository that has the resource files", dir))
	}
	if err != nil {
		return "", l, b, failure.Usage(err)
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if top = repo.Facts().WorkTree; top == "" {
		return "", l, b, failure.Usage(errors.New("this is a bare repository; write locsync.toml from config.example.toml, " +
			"with push.source set to a branch"))
	}
	var mainErr, currentErr error
	b.main, mainErr = repo.Branches.Default("origin")
	b.current, _, currentErr = repo.Head()
	l.Tracked, l.Others, err = repo.Listed(ctx)
	return top, l, b, errors.Join(mainErr, currentErr, err)
}

// nothingFound says what was looked for, and what looked like it: the unsupported format that the texts are in, or the
// one file that has a problem, first.
func (p *Proposal) nothingFound(top string) error {
	if p.Source != "" {
		if all := p.look(""); len(all.Groups) > 0 {
			return fmt.Errorf("no resource file is in %s; %s", p.Source, all.There())
		}
	}
	const byHand = "Write locsync.toml by hand; \"locsync help configuration\" shows how"
	left := p.Found.LeftOut
	said := fmt.Sprintf("no resource files were found below %s: no file whose path names a language, such as "+
		"locales/en.json or res/values/strings.xml. %s", top, byHand)
	switch {
	case p.Found.Mostly != "":
		said = p.Found.Mostly + ". No resource files of other formats were found"
	case len(left) == 1 && left[0].Broken():
		return fmt.Errorf("the only resource files that were found, %s, %s. Repair the file, then run locsync init again",
			left[0].Path, left[0].Reason)
	}
	return errors.New(said + leftOutLines(left))
}

// TryOut reads all files as the first check and the first push will, before the configuration is written: one that does
// not fit the files is an error, and what is wrong in the files is counted.
func (p *Proposal) TryOut(check func(*config.Config) (report.CheckReport, error)) error {
	cfg, err := config.ParseForCreate(p.File, []byte(p.Text()))
	if err != nil {
		return err
	}
	result, err := check(cfg)
	if err != nil {
		return err
	}
	files, errs, warnings := 0, 0, 0
	for _, project := range result.Projects {
		files += len(project.Files)
		for _, problem := range project.Problems {
			switch {
			case problem.Configuration:
				return failure.Usage(fmt.Errorf("the configuration that was worked out does not fit the files: %s; please "+
					"report this with the list of your files, or write locsync.toml by hand", problem))
			case problem.Severity == report.Warning:
				warnings++
			default:
				errs++
			}
		}
	}
	p.Checked = terminal.Count(files, "file") + " can be read; locsync check finds no problem."
	if errs+warnings > 0 {
		p.Checked = fmt.Sprintf("Of %s, locsync check names %s and %s; what has an error is left out until it is "+
			"corrected.", terminal.Count(files, "file"), terminal.Count(errs, "error"), terminal.Count(warnings, "warning"))
	}
	return nil
}

// Write writes the configuration into a file that is not there yet.
func (p *Proposal) Write() error {
	f, err := os.OpenFile(p.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return failure.Usage(fmt.Errorf("write the configuration: %w", err))
	}
	_, err = f.WriteString(p.Text())
	if err := errors.Join(err, f.Close()); err != nil {
		// half of one would be in the way of the next try
		return errors.Join(fmt.Errorf("write the configuration: %w", err), os.Remove(p.File))
	}
	return nil
}
