package main

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
	"github.com/locsync/locsync/sync/languages"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

// answers are what a configuration says besides where the files are: by flags, at a terminal, or empty.
type answers struct {
	source  string
	targets []string
	url     string
	account string
	keyEnv  string
	id      string
	branch  string
	name    string
}

// proposal is a configuration in the making.
type proposal struct {
	answers
	found      discover.Result                     // with the target languages that hold, answered or found
	started    bool                                // none were found nor answered, and one is there because one must be
	look       func(source string) discover.Result // "" for the language that it finds
	file       string
	repository string
	branches   branches
}

// begin fills in what was found where nothing was answered.
func (p *proposal) begin(folder string) {
	p.lookFor(p.source)
	p.url = cmp.Or(p.url, config.Embedded)
	p.keyEnv = cmp.Or(p.keyEnv, "LOCSYNC_API_KEY")
	p.branch = cmp.Or(p.branch, "l10n")
	p.name = cmp.Or(p.name, projectName(folder))
}

// lookFor looks at the files anew, with this source language. Target languages that were answered stay.
func (p *proposal) lookFor(source string) {
	p.found, p.started = p.look(source), false
	p.source = p.found.Source
	switch {
	case len(p.targets) > 0:
		p.found.Choose(p.targets)
	case len(p.found.Targets) == 0:
		p.started = true
		p.found.Choose([]string{starterLanguage(p.source)})
	}
}

// choose takes other target languages than those that were found.
func (p *proposal) choose(targets []string) {
	p.targets, p.started = targets, false
	p.found.Choose(targets)
}

// starterLanguage is a target for a repository that has none yet.
func starterLanguage(source string) string {
	if source == "de" {
		return "fr"
	}
	return "de"
}

// check is what is wrong with the answers.
func (p *proposal) check() error {
	if !utf8.ValidString(p.repository) {
		return misuse(fmt.Errorf("the path of the repository, %q, is not UTF-8, so that no configuration can name it "+
			"from another folder; "+
			"write the configuration into the repository itself, or rename the folder", p.repository))
	}
	_, err := config.ParseForCreate(p.file, []byte(p.text()))
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
			if blames(problem, flag) {
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
	return misuse(errors.New(strings.Join(said, "\n")))
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
func (p *proposal) wrong(flag string) string {
	_, err := config.ParseForCreate(p.file, []byte(p.text()))
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
func (p *proposal) unfit(flag string) string {
	codes := map[string][]string{"source": {p.source}, "languages": p.found.Targets}[flag]
	others := map[string]string{"url": p.url, "account-id": p.account, "api-key-env": p.keyEnv, "project-id": p.id,
		"branch": p.branch, "name": p.name}[flag]
	if text := others + strings.Join(codes, ""); !utf8.ValidString(text) {
		return fmt.Sprintf("%q is not UTF-8, which a configuration is written in", text)
	}
	for _, code := range codes {
		if !languages.WellFormed(code) {
			return fmt.Sprintf("%q is not a language; write one as the service does: \"en\", \"pt-BR\", \"zh-Hans\"", code)
		}
	}
	return ""
}

// text writes the proposal as a commented file.
func (p *proposal) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Written by locsync init. `locsync check` reports everything that is wrong in this file;")
	line("# `locsync help configuration` and config.example.toml show every key.")
	line("")
	line("[service]")
	if p.url == config.Embedded {
		line("url = \"embedded\"          # a translation service inside locsync, which needs no account. For another " +
			"one, write its")
		line("                          # address (\"https://…\") and account_id, and set the API key in LOCSYNC_API_KEY")
	} else {
		line("url = %s", quoted(p.url))
		line("account_id = %s", quoted(p.account))
		line("api_key_env = %s   # the environment variable with the API key; the key itself never goes into this file",
			quoted(p.keyEnv))
	}
	line("")
	line("[[project]]")
	line("name = %s", quoted(p.name))
	if p.id != "" {
		line("id = %s", quoted(p.id))
	} else {
		line("# id = \"…\"                # the project's identifier at the translation service; `locsync project " +
			"create` makes one")
	}
	line("repository = %s", quoted(p.repository))
	line("source_language = %s", quoted(p.source))
	if p.started {
		line("# No translation was found. List the languages to translate into.")
	}
	line("target_languages = %s", array(p.found.Targets))
	if len(p.found.Paths) > 0 {
		line("")
		line("[project.language_paths]  # how paths spell a language, where that differs from its code")
		for _, code := range slices.Sorted(maps.Keys(p.found.Paths)) {
			line("%s = %s", quoted(code), quoted(p.found.Paths[code]))
		}
	}
	p.passes(line)
	for _, g := range p.found.Groups {
		line("")
		line("# %s: %s, %s", oneLine(g.Kind), terminal.Count(len(g.Files), "source file"), terminal.Count(g.Keys, "key"))
		line("[[project.files]]")
		line("source = %s", quoted(g.Source))
		line("format = %s", quoted(g.Format))
		line("output = %s", quoted(g.Output))
		line("collection = %s", quoted(g.Collection))
		if len(g.Paths) > 0 {
			var pairs []string
			for _, code := range slices.Sorted(maps.Keys(g.Paths)) {
				pairs = append(pairs, quoted(code)+" = "+quoted(g.Paths[code]))
			}
			line("language_paths = { %s }", strings.Join(pairs, ", "))
		}
	}
	return b.String()
}

// passes writes how texts are pushed and pulled.
func (p *proposal) passes(line func(format string, args ...any)) {
	line("")
	line("[project.push]")
	if p.branches.main != "" {
		line("branches = %-18s # push only while this branch is checked out, so that older or unfinished texts are not sent",
			array([]string{branchPattern(p.branches.main)}))
	}
	line("# completion_state = \"draft\"  # the state that the repository's translations get at the service: draft, " +
		"intermediate or final")
	line("")
	line("[project.pull]")
	line("# completion_state = \"final\"  # the lowest state of translations that are pulled")
	line("# base = \"\"                   # the branch that translations are built on; empty: the remote's default " +
		"branch, without a remote the current one")
	line("branch = %-20s # where translations are committed, for you to merge; may be the same as base", quoted(p.branch))
	if p.url == config.Embedded {
		line("remote = \"\"                   # commits stay in this repository; \"origin\" delivers them there")
	}
	line("# schedule = \"*/15 * * * *\"   # when `locsync run` pulls")
}

// branchPattern is a branch's name as a pattern that matches no other.
func branchPattern(name string) string {
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
