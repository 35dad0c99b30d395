// Package setup makes the configuration that `locsync init` writes: of what a repository holds (see discover), and of
// the answers that flags give or a person at a terminal. It explains what it found, and writes one new file.
package setup

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/glob"
	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/setup/migrate"
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

	Reviewed string // "yes": the translations that are there are final; "no", or "" where it was not asked
}

// Proposal is a configuration in the making.
type Proposal struct {
	Answers
	Found      discover.Result // with the target languages that hold, answered or found
	File       string
	Checked    string                              // what a check of the configuration and its files found; "" before one
	started    bool                                // none were found nor answered, and one is there because one must be
	look       func(source string) discover.Result // "" for the language that it finds
	all        []string                            // files of the repository
	repository string
	folder     string // the name of the repository's
	branches   branches

	From  *migrate.Found // the configuration of another tool that the files are from; nil for none
	other string         // one that was not asked for; "" for none
	// offered says that it was asked whether to take it over
	offered bool
	read    func(name string) (migrate.Found, error)
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
	named := ""
	if p.From != nil {
		named = p.From.Source
	}
	p.Found = p.look(cmp.Or(source, named))
	if source == "" && len(p.Found.Groups) == 0 {
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
		p.Found.Choose([]string{"de"})
		if p.Source == "de" {
			p.Found.Choose([]string{"fr"})
		}
	}
}

// check is what is wrong with the answers.
func (p *Proposal) check() error {
	if !utf8.ValidString(p.repository) {
		return failure.Usage(fmt.Errorf("the path of the repository, %q, is not UTF-8, so that no configuration can name it "+
			"from another folder; "+
			"write the configuration into the repository itself, or rename the folder", p.repository))
	}
	faults, err := p.faults()
	var said []string
	for flag, all := range faults {
		for _, why := range all {
			said = append(said, "--"+flag+": "+why)
		}
	}
	switch {
	case len(said) == 0 && err != nil:
		return fmt.Errorf("the configuration that was worked out is not valid; please report this with the list of your "+
			"files: %w", err)
	case len(said) == 0:
		return nil
	}
	slices.Sort(said)
	return failure.Usage(errors.New(strings.Join(said, "\n")))
}

// faults are what is wrong with answers, by flag. err says that anything is wrong with the configuration.
func (p *Proposal) faults() (byFlag map[string][]string, err error) {
	_, err = config.ParseForCreate(p.File, []byte(p.Text()))
	var problems config.Problems
	errors.As(err, &problems)
	byFlag = make(map[string][]string)
	for flag, answer := range map[string]struct {
		key   string // of the configuration
		texts []string
	}{"source": {"project.source_language", []string{p.Source}},
		"languages": {"project.target_languages", p.Found.Targets},
		"url":       {"service.url", []string{p.URL}}, "account-id": {"service.account_id", []string{p.Account}},
		"api-key-env": {"service.api_key_env", []string{p.KeyEnv}}, "project-id": {"project.id", []string{p.ID}},
		"branch": {"project.pull.branch", []string{p.Branch}}, "name": {"project.name", []string{p.Name}},
		"reviewed": {"project.push.completion_state", []string{p.Reviewed}}} {
		if why := unfit(flag, answer.texts); why != "" {
			byFlag[flag] = []string{why}
			continue
		}
		for _, problem := range problems {
			// how paths spell languages follows from which ones there shall be: those that were found have files of their own
			isSpelling := flag == "languages" && (strings.HasPrefix(problem.Key, "project.language_paths.") ||
				problem.Key == "project.files.output")
			if problem.Key == answer.key || isSpelling {
				byFlag[flag] = append(byFlag[flag], problem.Message)
			}
		}
	}
	return byFlag, err
}

// wrong is what is wrong with one answer; "" when nothing is.
func (p *Proposal) wrong(flag string) string {
	faults, _ := p.faults()
	return strings.Join(faults[flag], "; ")
}

// unfit is what is wrong with an answer that a configuration could say: it has the shape of a language's code and is
// none; or could not even say.
func unfit(flag string, texts []string) string {
	text, yes := strings.Join(texts, ""), false
	switch {
	case flag == "reviewed" && text != "":
		return terminal.YesOrNo(text, &yes)
	case !utf8.ValidString(text):
		return fmt.Sprintf("%q is not UTF-8, which a configuration is written in", text)
	case flag != "source" && flag != "languages":
		return ""
	}
	for _, code := range texts {
		if !languages.WellFormed(code) {
			return fmt.Sprintf("%q is not a language code; write one as the service does: \"en\", \"pt-BR\", \"zh-Hans\", "+
				"\"es-419\"", code)
		}
	}
	return ""
}

//go:embed locsync.toml.tmpl
var pageText string

// Text is the Proposal as a commented file.
func (p *Proposal) Text() string {
	pairs := func(spelled map[string]string) string {
		var all []string
		for _, code := range slices.Sorted(maps.Keys(spelled)) {
			all = append(all, quoted(code)+" = "+quoted(spelled[code]))
		}
		return strings.Join(all, ", ")
	}
	page := template.Must(template.New("").Funcs(template.FuncMap{"quoted": quoted, "array": array, "pairs": pairs,
		"line": oneLine, "count": terminal.Count, "excluded": p.excluded}).Parse(pageText))
	var branches []string
	if p.branches.main != "" {
		branches = []string{glob.Escape(p.branches.main)}
	}
	final := false
	reviewed := terminal.YesOrNo(p.Reviewed, &final) == ""
	var b strings.Builder
	err := page.Execute(&b, struct {
		Answers
		Found                    discover.Result
		Repository               string
		Branches                 []string
		Embedded, Started, Final bool
	}{p.Answers, p.Found, p.repository, branches, p.URL == config.Embedded, p.started, reviewed && final})
	if err != nil {
		panic(err) // the template does not fit what it is given
	}
	return b.String()
}

// oneLine keeps a comment from ending early.
func oneLine(text string) string { return strings.Join(strings.Fields(report.Printable(text)), " ") }

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// projectName makes a name for messages out of a folder's name.
func projectName(folder string) string {
	return cmp.Or(strings.Trim(notInNames.ReplaceAllString(folder, "-"), "-."), "app")
}

// ofGo are the escapes of Go that TOML does not have.
var ofGo = strings.NewReplacer(`\\`, `\\`, `\a`, `\u0007`, `\v`, `\u000B`, `\x`, `\u00`)

// quoted is a text as TOML writes it.
func quoted(text string) string { return ofGo.Replace(strconv.Quote(text)) }

func array(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, quoted(text))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
