package setup

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/setup/discover"
	"github.com/locsync/locsync/sync/terminal"
)

// mostShown bounds lists that a person reads, and mostLines a report.
const mostShown, mostLines = 12, 40

// Say prints a line for people; its indentation may be kept when it is broken.
type Say func(format string, args ...any)

// Explain says what was found and why. Unless all is wanted, lists are cut until it has at most 40 lines, with what
// Next says.
func (p *Proposal) Explain(say Say, all bool) {
	most := mostShown
	for !all && most > 0 && p.lines(most) > mostLines {
		most--
	}
	if all {
		most = math.MaxInt
	}
	p.explain(say, most)
}

// lines counts the lines of a report whose lists are cut.
func (p *Proposal) lines(most int) (n int) {
	count := func(string, ...any) { n++ }
	p.explain(count, most)
	p.Next(count)
	return n
}

func (p *Proposal) explain(say Say, most int) {
	r := p.Found
	p.explainFrom(say, most)
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
	sayGroups(say, r, most)
	sayCodes(say, r, most)
	sayLeftOut(say, r.LeftOut, most)
	say("")
}

// sayGroups explains groups of source files, those with the most keys where they are many.
func sayGroups(say Say, r discover.Result, most int) {
	groups := slices.Clone(r.Groups)
	shown := min(len(groups), max(most, 1))
	if shown < len(groups) {
		slices.SortStableFunc(groups, func(a, b discover.Group) int { return b.Keys - a.Keys })
	}
	for _, g := range groups[:shown] {
		sayGroup(say, r, g, most)
	}
	files, keys := 0, 0
	for _, g := range groups[shown:] {
		files += len(g.Files)
		keys += g.Keys
	}
	if files > 0 {
		say("")
		say("And %s with %s in %s; --verbose lists all.", terminal.Count(files, "source file"),
			terminal.Count(keys, "key"), terminal.Count(len(groups)-shown, "other pattern"))
	}
}

// sayGroup explains source files that are configured together.
func sayGroup(say Say, r discover.Result, g discover.Group, most int) {
	say("")
	say("%s: %s -> %s", g.Kind, g.Source, cmp.Or(g.Output, g.Source))
	languages := "no translation yet"
	if n := len(g.Languages) - 1; n > 0 {
		languages = "translated into " + terminal.Count(n, "language")
		if n < len(r.Targets) && n <= most {
			languages += ": " + strings.Join(g.Languages[1:], ", ")
		}
	}
	say("  %s, %s, %s; format %s, collection %s", terminal.Count(len(g.Files), "source file"),
		terminal.Count(g.Keys, "key"), languages, g.Format, g.Collection)
	if g.Prefix != "" {
		say("  keys are behind %s at the service, since files that share the collection have keys in common", g.Prefix)
	}
	if spelled := g.Spelled(r); len(spelled) > 0 {
		say("  in paths, %s", strings.Join(spelled, ", "))
	}
	listed(say, "  ", g.Problems, most)
}

// sayCodes names the language codes that a translation service is known not to have.
func sayCodes(say Say, r discover.Result, most int) {
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
	var remedies []string
	for _, code := range r.Unknown {
		remedies = append(remedies, config.LanguageRemedy("target_languages", code, cmp.Or(r.Paths[code], code), all))
	}
	remedies, byRemedy := grouped(remedies, r.Unknown)
	for i, remedy := range remedies {
		remedies[i] = strings.Join(byRemedy[remedy], ", ") + ": " + remedy
	}
	listed(say, "  ", remedies, most)
}

// grouped are things by what is said of each, and what is said, once, in order.
func grouped(said, things []string) (once []string, by map[string][]string) {
	by = make(map[string][]string)
	for i, text := range said {
		if by[text] == nil {
			once = append(once, text)
		}
		by[text] = append(by[text], things[i])
	}
	return once, by
}

// listed says the first lines of a list, and how many more there are.
func listed(say Say, indent string, lines []string, most int) {
	shown := min(len(lines), max(most, 1))
	for _, line := range lines[:shown] {
		say("%s%s", indent, line)
	}
	if more := len(lines) - shown; more > 0 {
		say("%sand %d more", indent, more)
	}
}

// sayLeftOut lists what is not proposed, with each reason once.
func sayLeftOut(say Say, left []discover.LeftOut, most int) {
	if len(left) == 0 {
		return
	}
	say("")
	say("Left out:")
	var all, paths []string
	for _, l := range left {
		if l.Files > 1 {
			l.Path += " (" + terminal.Count(l.Files, "file") + ")"
		}
		all, paths = append(all, l.Reason), append(paths, l.Path)
	}
	reasons, byReason := grouped(all, paths)
	shown := min(len(reasons), max(most, 1))
	for _, reason := range reasons[:shown] {
		if paths := byReason[reason]; len(paths) == 1 {
			say("  %s %s", paths[0], reason)
		} else {
			say("  each of these %s:", reason)
			listed(say, "    ", paths, most)
		}
	}
	if more := len(reasons) - shown; more > 0 {
		say("  and more, for %s; --verbose lists all of them", terminal.Count(more, "other reason"))
	}
}

// Next says what was written and what to do now.
func (p *Proposal) Next(say Say) {
	if p.Checked != "" {
		say("%s", p.Checked)
		say("")
	}
	embedded := p.URL == config.Embedded
	translated := slices.ContainsFunc(p.Found.Groups, func(g discover.Group) bool { return len(g.Languages) > 1 })
	if embedded {
		makes := ", which makes pseudo-translations"
		if translated { // beside translations they would be taken for ones
			makes = ""
		}
		say("Wrote %s. It uses the embedded service%s: everything stays on this machine, and commits stay in this "+
			"repository on branch %s, because remote is \"\". To deliver them, write remote = \"origin\" under "+
			"[project.pull]. A team needs a service that all reach: locsync help team.", p.File, makes, p.Branch)
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
	if embedded {
		say("  locsync run               # serves the page where drafts become final: http://127.0.0.1:7420/translate/")
	}
	if translated {
		say("The first sync sends the source texts and the translations that the service lacks, and commits those " +
			"that the repository lacks. " +
			"Where both have a text and the two differ, neither is replaced: each difference is named, and you decide.")
	} else {
		say("The first sync sends the source texts; translations come back on branch %s once they are "+
			"final.", p.Branch)
	}
}
