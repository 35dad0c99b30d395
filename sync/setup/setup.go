// Package setup makes the configuration that `locsync init` writes: of what a repository holds (see discover), and of
// the answers that flags give or a person at a terminal. It explains what it found, and writes one new file.
package setup

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/discover"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/languages"
	"github.com/locsync/locsync/sync/migrate"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// Answers are what a configuration says besides where the files are: by flags, at a terminal, or empty.
type Answers struct {
	Source  string
	Targets []string
	URL     string
	Account string
	KeyEnv  string
	ID      string
	Branch  string
	Name    string
}

// Proposal is a configuration in the making.
type Proposal struct {
	Answers
	Found      discover.Result // with the target languages that hold, answered or found
	File       string
	started    bool                                // none were found nor answered, and one is there because one must be
	look       func(source string) discover.Result // "" for the language that it finds
	all        []string                            // files of the repository
	repository string
	folder     string // the name of the repository's
	branches   branches

	From  *migrate.Found // the configuration of another tool that the files are from; nil for none
	other string         // one that was not asked for; "" for none
	read  func(name string) (migrate.Found, error)
}

// begin fills in what was found where nothing was answered.
func (p *Proposal) begin() {
	p.URL = cmp.Or(p.URL, config.Embedded)
	p.KeyEnv = cmp.Or(p.KeyEnv, "LOCSYNC_API_KEY")
	p.Branch = cmp.Or(p.Branch, "l10n")
	p.Name = cmp.Or(p.Name, projectName(p.folder))
	p.lookFor(p.Source)
}

// lookFor looks at the files anew, with this source language. Target languages that were answered stay.
func (p *Proposal) lookFor(source string) {
	p.started = false
	if p.Found = p.look(cmp.Or(source, p.From.SourceLanguage())); source == "" && len(p.Found.Groups) == 0 {
		p.Found = p.look("") // the other tool calls it otherwise
	}
	if p.Source = p.Found.Source; p.From != nil && len(p.Targets) == 0 {
		p.addTargets()
	}
	switch {
	case len(p.Targets) > 0:
		p.Found.Choose(p.Targets)
	case len(p.Found.Targets) == 0:
		p.started = true
		p.Found.Choose([]string{starterLanguage(p.Source)})
	}
}

// choose takes other target languages than those that were found.
func (p *Proposal) choose(targets []string) {
	p.Targets, p.started = targets, false
	p.Found.Choose(targets)
}

// starterLanguage is a target for a repository that has none yet.
func starterLanguage(source string) string {
	if source == "de" {
		return "fr"
	}
	return "de"
}

// check is what is wrong with the answers.
func (p *Proposal) check() error {
	if !utf8.ValidString(p.repository) {
		return failure.Usage(fmt.Errorf("the path of the repository, %q, is not UTF-8, so that no configuration can name it "+
			"from another folder; "+
			"write the configuration into the repository itself, or rename the folder", p.repository))
	}
	_, err := config.ParseForCreate(p.File, []byte(p.Text()))
	var problems config.Problems
	if !errors.As(err, &problems) && err != nil {
		return err
	}
	var said []string
	for flag := range answerKeys {
		if why := p.unfit(flag); why != "" {
			said = append(said, "--"+flag+": "+why)
		}
	}
	for _, problem := range problems {
		for flag := range answerKeys {
			if blames(problem, flag) && p.unfit(flag) == "" {
				said = append(said, "--"+flag+": "+problem.Message)
			}
		}
	}
	if len(said) == 0 && err == nil {
		return nil
	}
	if len(said) == 0 {
		return fmt.Errorf("the configuration that was worked out is not valid; please report this with the list of your "+
			"files: %w", err)
	}
	slices.Sort(said)
	return failure.Usage(errors.New(strings.Join(said, "\n")))
}

// answerKeys are the configuration's keys by the flags that answer them.
var answerKeys = map[string]string{"source": "project.source_language", "languages": "project.target_languages",
	"url": "service.url", "account-id": "service.account_id",
	"api-key-env": "service.api_key_env", "project-id": "project.id", "branch": "project.pull.branch",
	"name": "project.name"}

// blames reports whether a problem comes of the answer to a flag. How paths spell languages follows from which ones
// there shall be, and those that were found have files of their own.
func blames(problem config.Problem, flag string) bool {
	spelling := strings.HasPrefix(problem.Key, "project.language_paths.") || problem.Key == "project.files.output"
	return problem.Key == answerKeys[flag] || flag == "languages" && spelling
}

// wrong is what is wrong with one answer; "" when nothing is.
func (p *Proposal) wrong(flag string) string {
	_, err := config.ParseForCreate(p.File, []byte(p.Text()))
	var problems config.Problems
	errors.As(err, &problems)
	for _, problem := range problems {
		if blames(problem, flag) {
			return problem.Message
		}
	}
	return p.unfit(flag)
}

// unfit is what is wrong with an answer that a configuration could say: it has the shape of a language's code and is
// none; or could not even say.
func (p *Proposal) unfit(flag string) string {
	codes := map[string][]string{"source": {p.Source}, "languages": p.Found.Targets}[flag]
	others := map[string]string{"url": p.URL, "account-id": p.Account, "api-key-env": p.KeyEnv, "project-id": p.ID,
		"branch": p.Branch, "name": p.Name}[flag]
	if text := others + strings.Join(codes, ""); !utf8.ValidString(text) {
		return fmt.Sprintf("%q is not UTF-8, which a configuration is written in", text)
	}
	for _, code := range codes {
		if !languages.WellFormed(code) {
			return fmt.Sprintf("%q is not a language code; write one as the service does: \"en\", \"pt-BR\", \"zh-Hans\", "+
				"\"es-419\"", code)
		}
	}
	return ""
}

// Text writes the Proposal as a commented file.
func (p *Proposal) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Written by locsync init. `locsync check` reports everything that is wrong in this file;")
	line("# `locsync help configuration` and config.example.toml show every key.")
	line("")
	line("[service]")
	if p.URL == config.Embedded {
		line("url = \"embedded\"          # a translation service inside locsync, which needs no account. For another " +
			"one, write its")
		line("                          # address (\"https://…\") and account_id, and set the API key in LOCSYNC_API_KEY")
	} else {
		line("url = %s", quoted(p.URL))
		line("account_id = %s", quoted(p.Account))
		line("api_key_env = %s   # the environment variable with the API key; the key itself never goes into this file",
			quoted(p.KeyEnv))
	}
	line("")
	line("[[project]]")
	line("name = %s", quoted(p.Name))
	if p.ID != "" {
		line("id = %s", quoted(p.ID))
	} else {
		line("# id = \"…\"                # the project's identifier at the translation service; `locsync project " +
			"create` makes one")
	}
	line("repository = %s", quoted(p.repository))
	line("source_language = %s", quoted(p.Source))
	if p.started {
		line("# No translation was found. List the languages to translate into.")
	}
	line("target_languages = %s", array(p.Found.Targets))
	if len(p.Found.Paths) > 0 {
		line("")
		line("[project.language_paths]  # how paths spell a language, where that differs from its code")
		for _, code := range slices.Sorted(maps.Keys(p.Found.Paths)) {
			line("%s = %s", quoted(code), quoted(p.Found.Paths[code]))
		}
	}
	p.passes(line)
	p.files(line)
	return b.String()
}

// files writes which files are synchronized.
func (p *Proposal) files(line func(format string, args ...any)) {
	for _, g := range p.Found.Groups {
		line("")
		line("# %s: %s, %s", oneLine(g.Kind), terminal.Count(len(g.Files), "source file"), terminal.Count(g.Keys, "key"))
		line("[[project.files]]")
		line("source = %s", quoted(g.Source))
		if exclude := p.excluded(g); len(exclude) > 0 {
			line("exclude = %s", array(exclude))
		}
		line("format = %s", quoted(g.Format))
		if g.Output != "" {
			line("output = %s", quoted(g.Output))
		}
		line("collection = %s", quoted(g.Collection))
		if len(g.Paths) > 0 {
			var pairs []string
			for _, code := range slices.Sorted(maps.Keys(g.Paths)) {
				pairs = append(pairs, quoted(code)+" = "+quoted(g.Paths[code]))
			}
			line("language_paths = { %s }", strings.Join(pairs, ", "))
		}
	}
}

// passes writes how texts are pushed and pulled.
func (p *Proposal) passes(line func(format string, args ...any)) {
	line("")
	line("[project.push]")
	if p.branches.main != "" {
		line("branches = %-18s # push only while this branch is checked out, so that older or unfinished texts are not sent",
			array([]string{literally(p.branches.main)}))
	}
	line("# completion_state = \"draft\"  # the state that the repository's translations get at the service: draft, " +
		"intermediate or final")
	line("")
	line("[project.pull]")
	line("# completion_state = \"final\"  # the lowest state of translations that are pulled")
	line("# base = \"\"                   # the branch that translations are built on; empty: the remote's default " +
		"branch, without a remote the current one")
	line("branch = %-20s # where translations are committed, for you to merge; may be the same as base", quoted(p.Branch))
	if p.URL == config.Embedded {
		line("remote = \"\"                   # commits stay in this repository; \"origin\" delivers them there")
	}
	line("# schedule = \"*/15 * * * *\"   # when `locsync run` pulls")
}

// literally is a name as a pattern that matches no other.
func literally(name string) string {
	return regexp.MustCompile(`[*?\[\]{}\\]`).ReplaceAllString(name, `\$0`)
}

// oneLine keeps a comment from ending early.
func oneLine(text string) string { return strings.Join(strings.Fields(report.Printable(text)), " ") }

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// projectName makes a name for messages out of a folder's name.
func projectName(folder string) string {
	name := strings.Trim(notInNames.ReplaceAllString(folder, "-"), "-.")
	if name == "" {
		return "app"
	}
	return name
}

// quoted is a text as TOML writes it: as Go does, but for the escapes that are Go's alone (\a, \v, \x00).
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String() + `"`
}

func array(texts []string) string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = quoted(t)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
