package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/glob"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/setup/migrate"
	"github.com/locsync/locsync/sync/terminal"
)

// TakeOver begins again with the files that the configuration of another tool names. It is an error where none of them
// can be taken over.
func (p *Proposal) TakeOver(name string) error {
	found, err := p.read(name)
	if err != nil {
		return failure.Usage(fmt.Errorf("--from: %w", err))
	}
	p.From, p.other = &found, ""
	p.takeAnswers()
	p.begin()
	if len(p.Found.Groups) == 0 {
		return failure.Usage(fmt.Errorf("%s names no resource file that can be taken over; locsync init without "+
			"--from searches the whole repository%s", name, leftOutLines(p.Found.LeftOut)))
	}
	p.missing()
	return nil
}

// takeAnswers takes over what the other tool's configuration says of the service, unless flags say otherwise.
func (p *Proposal) takeAnswers() {
	for _, one := range []struct {
		flag   string
		answer *string
	}{{"url", &p.URL}, {"account-id", &p.Account}, {"project-id", &p.ID}} {
		found, said := p.From.Answers[one.flag]
		if !said {
			continue
		}
		given, problem := *one.answer, ""
		if *one.answer = cmp.Or(given, found.Value); *one.answer != found.Value {
			problem = "--" + one.flag + " says otherwise"
		} else if p.wrong(one.flag) != "" {
			*one.answer, problem = given, "its value cannot be used; give --"+one.flag
		}
		if problem == "" {
			continue
		}
		p.unable(found.Line, found.Key, problem)
		if one.flag == "url" { // the account and the project are of that service
			for _, flag := range []string{"account-id", "project-id"} {
				if of, said := p.From.Answers[flag]; said {
					p.unable(of.Line, of.Key, "it is about the service of "+found.Key+"; give --"+flag)
				}
			}
			return
		}
	}
}

// leftOutLines are the files that were left out, a line each.
func leftOutLines(left []discover.LeftOut) (lines string) {
	for _, l := range left[:min(len(left), mostShown)] {
		lines += fmt.Sprintf("\n  %s %s", l.Path, l.Reason)
	}
	return lines
}

// Offer asks whether the configuration of another tool, where there is one, is taken over.
func (p *Proposal) Offer(ctx context.Context, c *terminal.Conversation, given Answers) error {
	if p.other == "" {
		return nil
	}
	agreed := false
	p.offered = true
	question := fmt.Sprintf("Take over what %s names?", p.other)
	err := c.Ask(ctx, question, "yes", func(answer string) string { return terminal.YesOrNo(answer, &agreed) })
	if err != nil || !agreed {
		p.other = ""
		return err
	}
	p.Answers = given
	return p.TakeOver(p.other)
}

// pairs are the files as the other tool's configuration pairs them; none where it has a template that ours cannot say:
// then they are found among the files that it names.
func (p *Proposal) pairs() []migrate.Entry {
	if p.From == nil || slices.ContainsFunc(p.From.Entries, func(e migrate.Entry) bool { return e.Output == "" }) {
		return nil
	}
	return p.From.Entries
}

// named are the files that the configuration of the other tool names; all where there is none.
func (p *Proposal) named(l discover.Listing) discover.Listing {
	if p.From == nil {
		return l
	}
	paired := len(p.pairs()) > 0
	other := func(name string) bool { return !p.From.Covers(name) && !(paired && p.From.Translates(name)) }
	return discover.Listing{Tracked: slices.DeleteFunc(slices.Clone(l.Tracked), other),
		Others: slices.DeleteFunc(slices.Clone(l.Others), other)}
}

// excluded are patterns for what is in the repository, matches the source of a group, and is not one of its files: what
// the other tool leaves out.
func (p *Proposal) excluded(g discover.Group) (patterns []string) {
	if p.From == nil {
		return nil
	}
	for _, name := range p.all {
		if !(config.Patterns{g.Source}).Match(name) || slices.Contains(g.Files, name) {
			continue
		}
		pattern := cmp.Or(p.From.Excluding(name), glob.Escape(name))
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// addTargets adds the languages that the other tool lists, as far as a configuration can have them.
func (p *Proposal) addTargets() {
	for _, code := range p.From.Targets {
		renamed := func(r discover.Renamed) bool { return r.From == code }
		before := p.Found.Targets
		if code == p.Source || slices.Contains(before, code) || slices.ContainsFunc(p.Found.Renamed, renamed) {
			continue
		}
		next := append(slices.Clone(before), code)
		slices.Sort(next)
		p.Found.Choose(next)
		if why := p.wrong("languages"); why != "" {
			p.Found.Choose(before)
			p.unable(0, "languages", fmt.Sprintf("%s: %s", code, why))
		}
	}
}

func (p *Proposal) unable(line int, key, problem string) {
	p.From.Notes = append(p.From.Notes, migrate.Note{Line: line, Key: key, Problem: problem})
}

// missing names what the other tool's configuration has and the proposal does not: files, and other paths of
// translations.
func (p *Proposal) missing() {
	cfg, err := config.ParseForCreate(p.File, []byte(p.Text()))
	if err != nil {
		return // check says so
	}
	covered := make(map[int]bool) // by entry
	project := &cfg.Projects[0]
	for i := range project.Files {
		files := &project.Files[i]
		for _, name := range p.Found.Groups[i].Files {
			source, is := files.SourceFile(name)
			if !is {
				continue
			}
			paths, elsewhere := []string{name}, ""
			for _, l := range project.Targets() {
				paths = append(paths, files.Template().For(source).Path(l, ""))
			}
			for _, at := range paths {
				if at != name && !p.From.Writes(name, at) {
					elsewhere = at
				}
				for i, e := range p.From.Entries {
					isOf := e.Source == "" || (config.Patterns{e.Source}).Match(name)
					covered[i] = covered[i] || isOf && e.Covers(at)
				}
			}
			if elsewhere != "" {
				p.unable(p.From.LineOf(name), name, fmt.Sprintf("its translations would be written to other paths, "+
					"such as %s; correct output in locsync.toml if that is not meant", elsewhere))
			}
		}
	}
	for i, e := range p.From.Entries {
		if !covered[i] {
			p.unable(e.Line, strings.Trim(e.Source+" "+e.Targets, " "), "no resource file of a supported format matches")
		}
	}
	slices.SortStableFunc(p.From.Notes, func(a, b migrate.Note) int { return a.Line - b.Line })
}

// explainFrom says what was taken over and what was not.
func (p *Proposal) explainFrom(say Say, most int) {
	if p.other != "" {
		say("%s is the configuration of another tool: locsync init --from %[1]s takes over what it names.", p.other)
		say("")
	}
	if p.From == nil {
		return
	}
	say("From %s, the configuration of %s.", p.From.File, p.From.Tool)
	if len(p.From.Entries) == 0 {
		say("It names no files, so that the whole repository was searched.")
	}
	if len(p.From.Notes) > 0 {
		say("Not taken over:")
	}
	var said, lines []string
	for _, n := range p.From.Notes {
		said, lines = append(said, n.Key+": "+n.Problem), append(lines, strconv.Itoa(n.Line))
	}
	notes, byNote := grouped(said, lines)
	for i, note := range notes {
		at := "line "
		if len(byNote[note]) > 1 {
			at = "lines "
		}
		notes[i] = at + strings.Join(byNote[note], ", ") + ": " + note
	}
	listed(say, "  ", notes, most)
	say("")
}
