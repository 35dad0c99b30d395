package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "Look at this repository and write a working locsync.toml",
		Long:    "init finds the repository's resource files and languages and writes a locsync.toml that works as it stands, with the\nembedded service. It refuses to overwrite one.",
		Example: "  cd my-app && locsync init && locsync check",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.initialize(cmd.Context()) },
	}
}

// initialized is the result of init.
type initialized struct {
	File   string `json:"file"`
	Source string `json:"source_language"`
	// Targets are empty when the repository has one language only; the file then asks for them.
	Targets []string            `json:"target_languages"`
	Groups  []bundle.Discovered `json:"files"`
}

func (a *app) initialize(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, err := gitops.Open(ctx, dir, gitops.Options{})
	if err != nil {
		return usageError{fmt.Errorf("%w; run locsync init in the repository that holds the resource files", err)}
	}
	top := repo.Facts().WorkTree
	if err := repo.Close(); err != nil {
		return err
	}
	if top == "" {
		return usageError{errors.New("this is a bare repository; write locsync.toml from config.example.toml, with push.source set to a branch")}
	}
	file := a.configFile
	if file == "" {
		file = filepath.Join(top, config.FileName)
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("%s exists already; it is not overwritten", file)}
	}
	found, err := bundle.Discover(os.DirFS(top))
	if err != nil {
		return err
	}
	if len(found.Groups) == 0 {
		return usageError{fmt.Errorf("no resource files were found below %s: no file whose path names a language, such as locales/en.json or res/values/strings.xml. Write locsync.toml by hand; config.example.toml shows every key", top)}
	}
	repository, err := filepath.Rel(filepath.Dir(file), top)
	if err != nil {
		repository = top
	}
	text := configuration(filepath.Base(top), filepath.ToSlash(repository), found)
	if _, err := config.Parse(file, []byte(text)); err != nil {
		return fmt.Errorf("the configuration that was worked out is not valid; please report this with the list of your files: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return a.sayInit(file, found)
}

func (a *app) sayInit(file string, found bundle.Discovery) error {
	if a.asJSON {
		return a.print(initialized{file, found.Source, found.Targets, found.Groups})
	}
	a.say("Source language: %s", found.Source)
	if len(found.Targets) > 0 {
		a.say("Target languages: %s", strings.Join(found.Targets, ", "))
	} else {
		a.say("Target languages: none were found; %q stands in the file as a start", starterLanguage(found.Source))
	}
	for _, g := range found.Groups {
		a.say("%s: %s -> %s (%s, %s)", g.Format, g.Source, g.Output, count(len(g.Files), "file"), count(len(g.Languages), "language"))
	}
	a.say("\nWrote %s. It works as it stands, with the embedded service. Next:\n  locsync check", file)
	if len(found.Targets) > 0 {
		a.say("  locsync push --translations   # once, and first: brings the translations that are here to the service")
	}
	a.say("  locsync sync --dry-run")
	return nil
}

// starterLanguage is a target for a repository that has none yet.
func starterLanguage(source string) string {
	if source == "de" {
		return "fr"
	}
	return "de"
}

// configuration writes what was found as a commented file.
func configuration(name, repository string, found bundle.Discovery) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	targets := found.Targets
	if len(targets) == 0 {
		targets = []string{starterLanguage(found.Source)}
	}
	line("# Written by locsync init from the files that it found. `locsync check` names everything that is wrong in here.")
	line("")
	line("[service]")
	line("url = \"embedded\"          # a service inside locsync that needs no account; for the real one its address, such as")
	line("                          # \"https://…\", with account_id, and the API key in the environment variable LOCSYNC_API_KEY")
	line("")
	line("[[project]]")
	line("name = %s", quoted(projectName(name)))
	line("# id = \"…\"                # the project's identifier at the real service")
	line("repository = %s", quoted(repository))
	line("source_language = %s", quoted(found.Source))
	line("target_languages = %s", list(targets))
	if len(found.Paths) > 0 {
		line("")
		line("[project.language_paths]  # how this repository spells languages in paths")
		codes := make([]string, 0, len(found.Paths))
		for code := range found.Paths {
			codes = append(codes, code)
		}
		slices.Sort(codes)
		for _, code := range codes {
			line("%s = %s", quoted(code), quoted(found.Paths[code]))
		}
	}
	for _, g := range found.Groups {
		line("")
		line("[[project.files]]         # %s", count(len(g.Files), "file"))
		line("source = %s", quoted(g.Source))
		line("format = %s", quoted(g.Format))
		line("output = %s", quoted(g.Output))
		line("collection = %s", quoted(g.Collection))
	}
	return b.String()
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// projectName makes a name for messages out of a folder's name.
func projectName(folder string) string {
	name := strings.Trim(notInNames.ReplaceAllString(folder, "-"), "-.")
	if name == "" {
		return "app"
	}
	return name
}

func quoted(text string) string { return strconv.Quote(text) }

func list(texts []string) string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = quoted(t)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
