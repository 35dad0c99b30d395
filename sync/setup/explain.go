package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/discover"
	"github.com/locsync/locsync/sync/terminal"
)

// mostShown bounds lists that a person reads.
const mostShown = 12

// Say prints a line for people; its indentation may be kept when it is broken.
type Say func(format string, args ...any)

// Explain says what was found and why.
func (p *Proposal) Explain(say Say) {
	r := p.Found
	p.explainFrom(say)
	if r.Mostly != "" {
		say("%s.", r.Mostly)
		say("")
	}
	if r.Unsure != "" {
		say("Source language: unknown; %s", r.Unsure)
	} else {
		say("Source language: %s (%s)", r.Source, r.Reason)
	}
	if p.started {
		say("Target languages: none found; %q is in the file as a start", r.Targets[0])
	} else {
		say("Target languages: %s", strings.Join(r.Targets, ", "))
	}
	for _, g := range r.Groups {
		sayGroup(say, r, g)
	}
	sayCodes(say, r)
	sayLeftOut(say, r.LeftOut)
	say("")
}

// sayGroup explains source files that are configured together.
func sayGroup(say Say, r discover.Result, g discover.Group) {
	say("")
	say("%s: %s -> %s", g.Kind, g.Source, cmp.Or(g.Output, g.Source))
	languages := "no translation yet"
	if n := len(g.Languages) - 1; n > 0 {
		languages = "translated into " + terminal.Count(n, "language")
		if n < len(r.Targets) {
			languages += ": " + strings.Join(g.Languages[1:], ", ")
		}
	}
	say("  %s, %s, %s; format %s, collection %s", terminal.Count(len(g.Files), "source file"),
		terminal.Count(g.Keys, "key"), languages, g.Format, g.Collection)
	if spelled := g.Spelled(r); len(spelled) > 0 {
		say("  in paths, %s", strings.Join(spelled, ", "))
	}
	for _, problem := range g.Problems {
		say("  %s", problem)
	}
}

// sayCodes names the language codes that a translation service is known not to have.
func sayCodes(say Say, r discover.Result) {
	if len(r.Renamed) > 0 {
		var pairs []string
		for _, renamed := range r.Renamed {
			pairs = append(pairs, renamed.To+" for "+renamed.From)
		}
		say("")
		say("Translation services have other codes for some languages; locsync.toml has those, and paths stay as "+
			"they are: %s.", strings.Join(pairs, ", "))
	}
	if len(r.Unknown) == 0 {
		return
	}
	say("")
	say("Translation services are known not to have these languages: %s. The embedded service takes them. "+
		"Before you use another one:", strings.Join(r.Unknown, ", "))
	all := append([]string{r.Source}, r.Targets...)
	byRemedy := make(map[string][]string)
	var remedies []string
	for _, code := range r.Unknown {
		path, ok := r.Paths[code]
		if !ok {
			path = code
		}
		remedy := config.LanguageRemedy("target_languages", code, path, all)
		if byRemedy[remedy] == nil {
			remedies = append(remedies, remedy)
		}
		byRemedy[remedy] = append(byRemedy[remedy], code)
	}
	for _, remedy := range remedies {
		say("  %s: %s", strings.Join(byRemedy[remedy], ", "), remedy)
	}
}

// sayLeftOut lists what is not proposed, with each reason once.
func sayLeftOut(say Say, left []discover.LeftOut) {
	if len(left) == 0 {
		return
	}
	say("")
	say("Left out:")
	byReason := make(map[string][]string)
	var reasons []string
	for _, l := range left {
		if byReason[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		path := l.Path
		if l.Files > 1 {
			path += " (" + terminal.Count(l.Files, "file") + ")"
		}
		byReason[l.Reason] = append(byReason[l.Reason], path)
	}
	for _, reason := range reasons[:min(len(reasons), mostShown)] {
		paths := byReason[reason]
		if len(paths) == 1 {
			say("  %s %s", paths[0], reason)
			continue
		}
		say("  each of these %s:", reason)
		for _, path := range paths[:min(len(paths), mostShown)] {
			say("    %s", path)
		}
		if more := len(paths) - mostShown; more > 0 {
			say("    and %d more", more)
		}
	}
	if more := len(reasons) - mostShown; more > 0 {
		say("  and more, for %s; --json lists all of them", terminal.Count(more, "other reason"))
	}
}

// Next says what was written and what to do now.
func (p *Proposal) Next(say Say) {
	embedded := p.URL == config.Embedded
	if embedded {
		say("Wrote %s. It uses the embedded service, which makes pseudo-translations: everything stays on this "+
			"machine, and commits stay in this repository on branch %s, because remote is \"\". "+
			"To deliver them, write remote = \"origin\" under [project.pull].", p.File, p.Branch)
	} else {
		say("Wrote %s. Put the API key for %s into the environment as %s.", p.File, p.URL, p.KeyEnv)
	}
	if main := p.branches.main; main != "" && p.branches.current != main {
		say("Texts are pushed from branch %s only; %s is checked out. To push from it too, add it to branches "+
			"under [project.push].", main, cmp.Or(p.branches.current, "no branch"))
	}
	say("")
	say("Next:")
	if !embedded && p.ID == "" {
		say("  locsync project create    # creates the project; write its id into the file")
	}
	say("  locsync check             # validates every file; changes nothing")
	say("  locsync sync --dry-run    # shows what locsync sync would do")
	say("  locsync sync")
	translated := slices.ContainsFunc(p.Found.Groups, func(g discover.Group) bool { return len(g.Languages) > 1 })
	switch {
	case translated:
		say("The first sync sends the source texts and the translations that the service lacks, and commits those " +
			"that the repository lacks. " +
			"Where both have a text and the two differ, neither is replaced: each difference is named, and you decide.")
	default:
		say("The first sync sends the source texts; translations come back on branch %s once they are "+
			"final.", p.Branch)
	}
}
