package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/report"
)

// Bounds of the page, whatever a repository holds. What does not stand on it, `locsync status` tells.
const (
	maxListed = 25  // problems, conflicts, events and files of a project,
	atOnce    = 5   // of which so many are seen at once: problems and conflicts,
	eventsNow = 10  // and events, and languages that lack something
	maxText   = 400 // characters of one text
)

// view is the status as the page shows it.
type view struct {
	Version  string
	Now      time.Time
	NotReady []string
	Projects []*project
	Health   health // of the worst project
	Still    bool   // somebody wants a page that does not renew itself
	Editor   bool   // there is a page for translators
	Buttons  bool   // a token is configured,
	Unlocked bool   // and this browser has it
	Visit    visit
}

func (v *view) add(p *project) {
	v.Projects = append(v.Projects, p)
	v.Health = max(v.Health, p.Health)
}

// Title is for the browser's tab: the worst that there is to say, and of how many.
func (v view) Title() string {
	n := 0
	for _, p := range v.Projects {
		if p.Health == v.Health {
			n++
		}
	}
	word := strings.ToLower(v.Health.Word())
	if len(v.Projects) > 1 && v.Health > inStep {
		word = fmt.Sprintf("%d of %d %s", n, len(v.Projects), word)
	}
	return "locsync: " + word
}

// health is how things stand, from the best to the worst. It is shown by a word, a sign and a colour.
type health int

const (
	inStep health = iota
	waiting
	attention
	failing
)

// Sign names the sign and its colour.
func (h health) Sign() string { return [...]string{"ok", "wait", "warn", "bad"}[h] }

// Icon is the file of the sign for the browser's tab.
func (h health) Icon() string { return h.Sign() + ".svg" }

// Word is for people.
func (h health) Word() string {
	return [...]string{"In step", "Waiting", "Needs attention", "Failing"}[h]
}

// project is one project as the page shows it. Its own fields hide those of the status that are shown in part.
type project struct {
	report.ProjectStatus
	At       time.Time // of the page
	Anchor   string
	Health   health
	Busy     bool
	Sentence string
	NextPush string // in words; there is no time for it
	NoPull   string // why there is no next pull
	Late     bool   // pulls that were due did not work

	LastCommit *report.Event // where the last pull made none

	Told      bool             // it is known how much the languages have
	Languages listed[language] // those that lack something, the ones that somebody here has to look at first
	Complete  []string         // the others
	Missing   int              // of all languages
	Pulled    bool             // what the service had at the last pull is here
	Lacking   string           // why something may be missing though somebody translated it; "" for no such reason
	Problems  listed[report.Problem]
	Conflicts listed[report.Conflict]
	Events    listed[report.Event]
	Files     listed[report.FileStatus]
	Plot      *plot

	Push, Pull bool   // there is a button for it,
	Nonce      string // which carries this
	Said       string
}

// listed is a list: what is seen at once, what is seen when somebody opens it, and how much more there is.
type listed[T any] struct {
	First, Rest []T
	More        int
}

// Total is how long the list is.
func (l listed[T]) Total() int { return len(l.First) + len(l.Rest) + l.More }

func list[T any](all []T, first int) listed[T] {
	first, shown := min(first, len(all)), min(maxListed, len(all))
	return listed[T]{all[:first], all[first:shown], len(all) - shown}
}

// language is how much a language has. Its bar is filled up to Have, and marked as held back between From and To, all in percent.
type language struct {
	report.LanguageStatus
	Have, From, To int

	Decide, Look, Translate int // what there is to do for it: conflicts, other held back translations, and keys that have none at the service
}

// complete reports whether nothing is to do for a language.
func (l language) complete() bool { return l.Missing+l.Held+l.Decide == 0 }

// project is a project's status as the page shows it.
func (s *server) project(status report.ProjectStatus, v view) *project {
	p := &project{ProjectStatus: status, At: v.Now, Anchor: anchor(status.Name), Health: healthOf(status, v.Now), Late: late(status, v.Now), Sentence: sentence(status.State),
		Problems: list(status.OtherProblems(), atOnce), Conflicts: list(status.Conflicts, atOnce), Events: list(status.Events, eventsNow), Plot: plotOf(status.Activity)}
	if doing := s.Engine.Doing(status.Name); doing.What != "" {
		p.Busy, p.Sentence = true, sentence(doing.String())
	}
	p.languages(status)
	if at := slices.IndexFunc(status.Events, func(e report.Event) bool { return e.Commit != "" }); at >= 0 && status.LastPull != nil && status.LastPull.Commit == "" {
		p.LastCommit = &status.Events[at]
	}
	files := slices.Clone(status.Files) // those to look at first
	slices.SortStableFunc(files, func(a, b report.FileStatus) int {
		return cmp.Or(strings.Compare(b.Error, a.Error), b.Pending-a.Pending)
	})
	p.Files = list(files, maxListed)
	s.configured(p, v)
	return p
}

// languages adds how much the languages have, and what there is to do for each.
func (p *project) languages(status report.ProjectStatus) {
	decide := make(map[string]int)
	for _, c := range status.Conflicts {
		decide[c.Language]++
	}
	var look, translate []language
	for _, s := range status.Languages {
		l := barOf(s)
		_, held, missing := s.Parts()
		l.Decide, l.Translate = decide[s.Language], missing
		l.Look = max(held-l.Decide, 0)
		switch {
		case l.complete():
			p.Complete = append(p.Complete, s.Language)
		case l.Look+l.Decide > 0:
			look = append(look, l)
		default:
			translate = append(translate, l)
		}
		p.Missing += s.Missing
	}
	all := append(look, translate...)
	now := min(eventsNow, len(all))
	p.Told, p.Languages = len(status.Languages) > 0, listed[language]{First: all[:now], Rest: all[now:]}
}

// lacking adds why translations may be missing though somebody made them: what is first of these hides what comes behind it. least is the state that a pull asks for.
func (p *project) lacking(pulls bool, least string) {
	failed := p.LastPull != nil && p.LastPull.Result == report.ResultFailed
	p.Pulled = pulls && p.LastPull != nil && !failed && !p.Late
	switch {
	case !pulls:
		p.Lacking = "Pulls are turned off in the configuration: nothing comes from the service."
	case p.LastPull == nil:
		p.Lacking = "Nothing was pulled yet: what the service has comes with the first pull."
	case !p.Pulled:
		p.Lacking = "The last pull did not work: the service may have more."
	case slices.ContainsFunc(p.ProjectStatus.Files, func(f report.FileStatus) bool { return f.Pending > 0 }):
		p.Lacking = "What waits to be pushed cannot be translated yet."
	case least == "final":
		p.Lacking = "A translation counts once it is final at the service."
	case least == "intermediate":
		p.Lacking = "A translation counts once it is intermediate or final at the service."
	}
}

// configured adds what the configuration says of a project: what wakes its passes, and which of them may be asked for.
func (s *server) configured(p *project, v view) {
	projects := s.Engine.Config.Projects
	at := 0
	for at < len(projects) && projects[at].Name != p.Name {
		at++
	}
	if at == len(projects) {
		return
	}
	c := &projects[at]
	switch source := c.Push.Source; {
	case !c.Push.Enabled:
		p.NextPush = "turned off in the configuration"
	case source == "worktree":
		p.NextPush = "as soon as a file changes"
	default:
		p.NextPush = "as soon as branch " + text(source) + " moves"
	}
	if p.NoPull = "not scheduled; when the service notifies, or on request"; !c.Pull.Enabled {
		p.NoPull = "turned off in the configuration"
	}
	p.lacking(c.Pull.Enabled, c.Pull.CompletionState)
	if v.Unlocked {
		p.Push, p.Pull, p.Nonce = c.Push.Enabled, c.Pull.Enabled, v.Visit.Nonce
		if v.Visit.Project == p.Name {
			p.Said = v.Visit.Said
		}
	}
}

func healthOf(p report.ProjectStatus, now time.Time) health {
	failed := func(past *report.Past) bool { return past != nil && past.Result == report.ResultFailed }
	untold := len(p.Languages) == 0 // a status that could be made has them all
	switch {
	case failed(p.LastPush), failed(p.LastPull), late(p, now), untold:
		return failing
	case len(p.Problems) > 0, p.Held > 0:
		return attention
	case p.Pending > 0, len(p.Jobs) > 0:
		return waiting
	}
	return inStep
}

// LanguagesTotal is how many languages there are.
func (p *project) LanguagesTotal() int { return p.Languages.Total() + len(p.Complete) }

// GitSince is since when pushes have been waiting for git.
func (p *project) GitSince() time.Time { return p.At.Add(-p.GitBusy) }

// late reports whether scheduled pulls did not work for longer than a single failure explains.
func late(p report.ProjectStatus, now time.Time) bool {
	return !p.Overdue.IsZero() && now.After(p.Overdue)
}

// eventSign is the sign of what became of something; "" for what is as it should be.
func eventSign(e report.Event) string {
	switch e.Result {
	case report.ResultFailed:
		return failing.Sign()
	case report.ResultPartial, report.ResultBegan:
		return attention.Sign()
	case report.ResultRecovered, report.ResultEnded:
		return inStep.Sign()
	}
	return ""
}

// sentence makes one of the engine's words.
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return text(string(unicode.ToUpper(first))+words[size:]) + "."
}

// barOf is a language with its bar. Nothing but all is 100 percent, and the least of anything can be seen. What is held back stands where translated and
// missing meet: some of it has an older translation, some has none.
func barOf(l report.LanguageStatus) language {
	total := l.Keys + l.Missing
	if total == 0 {
		return language{LanguageStatus: l, Have: 100, From: 100, To: 100}
	}
	have := 100 * l.Keys / total
	if l.Keys > 0 {
		have = max(have, 1)
	}
	if l.Held == 0 {
		return language{LanguageStatus: l, Have: have, From: have, To: have}
	}
	wide := max(100*l.Held/total, 2)
	from := max(min(100*(l.Keys-l.Held+l.HeldMissing)/total, 100-wide), 0)
	return language{LanguageStatus: l, Have: have, From: from, To: from + wide}
}

// anchor is the identifier of a project's part of the page.
func anchor(name string) string { return "p-" + url.QueryEscape(name) }

// text is a text of the repository, the service or an error as the page shows it: no control characters, and not so long that nobody sees the rest.
func text(s string) string {
	n := utf8.RuneCountInString(s)
	if n > maxText {
		s = string([]rune(s)[:maxText]) + "… (" + number(n) + " characters)"
	}
	return report.Printable(s)
}

// number is a number with its thousands apart.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// ago is how far a time is from now. The page's script says it in the same words while time goes on.
func ago(now, t time.Time) string {
	d, words := now.Sub(t), "%d %s ago"
	if d < 0 {
		d, words = -d, "in %d %s"
	}
	switch seconds := int(d / time.Second); {
	case seconds < 45:
		return "just now"
	case seconds < 90*60:
		return fmt.Sprintf(words, max((seconds+30)/60, 1), "min")
	case seconds < 36*3600:
		return fmt.Sprintf(words, (seconds+1800)/3600, "h")
	default:
		return fmt.Sprintf(words, (seconds+12*3600)/(24*3600), "days")
	}
}
