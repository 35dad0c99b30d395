package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/web/share"
)

// Bounds of the page, whatever a repository holds. `locsync status --all` shows the rest.
const (
	maxListed = 25  // problems, conflicts, events and files of a project,
	atOnce    = 5   // of which so many are seen at once: problems and conflicts,
	eventsNow = 10  // and events, and languages that lack something
	maxText   = 400 // characters of one text

	wholeProjects = 5   // that a page shows whole; of more it shows a line each, and whole the one that is asked for
	maxLines      = 500 // of projects
)

// view is the status as the page shows it.
type view struct {
	Version  string
	Now      time.Time
	NotReady listed[string]
	Projects []*project // all
	Whole    []*project // that are shown whole
	Lines    []*project // that have a line
	Many     bool       // more than are shown whole
	Query    string     // what the lines are chosen by
	Page     int        // of the lines, from 0
	Health   health     // of the worst project
	Still    bool       // a page that does not renew itself was asked for
	Editor   bool       // there is a page for translators
	Buttons  bool       // a token is configured
	Visit    visit      // of a browser that has it
}

// Unlocked reports whether the browser may use the buttons.
func (v view) Unlocked() bool { return v.Visit.Nonce != "" }

func (v *view) add(p *project) {
	v.Projects = append(v.Projects, p)
	v.Health = max(v.Health, p.Health)
}

// choose takes the projects that are shown whole, and those that have a line: what needs attention first, of those
// whose name or state has what is searched for.
func (v *view) choose(asked url.Values) {
	v.Whole, v.Lines = v.Projects, v.Projects
	if v.Many = len(v.Projects) > wholeProjects; !v.Many {
		return
	}
	v.Query = asked.Get("q")
	v.Page, _ = strconv.Atoi(asked.Get("page")) // the first where it is not a number
	v.Whole, v.Lines = nil, nil
	query := strings.ToLower(v.Query)
	for _, p := range v.Projects {
		if p.Name == asked.Get("project") {
			v.Whole = append(v.Whole, p)
		}
		if strings.Contains(strings.ToLower(p.Name+" "+p.Health.Word()), query) {
			v.Lines = append(v.Lines, p)
		}
	}
	slices.SortStableFunc(v.Lines, func(a, b *project) int {
		return byAttention(&a.ProjectStatus, &b.ProjectStatus, v.Now)
	})
	v.Page = max(0, min(v.Page, (len(v.Lines)-1)/maxLines))
}

// More is how many lines come after those that are shown.
func (v view) More() int { return max(0, len(v.Lines)-(v.Page+1)*maxLines) }

// FirstLines are those that are shown.
func (v view) FirstLines() []*project {
	from := min(v.Page*maxLines, len(v.Lines))
	return v.Lines[from:min(from+maxLines, len(v.Lines))]
}

// Before and After are the addresses of the pages of lines around the one that is shown; "" for none.
func (v view) Before() string { return v.pageAt(v.Page-1, v.Page > 0) }

func (v view) After() string { return v.pageAt(v.Page+1, v.More() > 0) }

func (v view) pageAt(page int, there bool) string {
	if !there {
		return ""
	}
	return "?" + url.Values{"q": {v.Query}, "page": {strconv.Itoa(page)}}.Encode()
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
		if v.Health == attention && n > 1 {
			word = "need attention"
		}
		word = fmt.Sprintf("%d of %d projects %s", n, len(v.Projects), word)
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
	return [...]string{"In sync", "Waiting", "Needs attention", "Failing"}[h]
}

// project is one project as the page shows it. Its own fields hide those of the status that are shown in part.
type project struct {
	report.ProjectStatus
	At       time.Time // of the page
	Anchor   string
	Health   health
	Busy     bool
	Sentence []span // of the state
	schedule

	LastCommit *report.Event // where the last pull made none

	translations
	Languages listed[language] // those that lack something, the ones that need attention here first
	lists
	Files listed[report.FileStatus]
	Plot  *plot

	buttons
}

// schedule is when a project's passes come.
type schedule struct {
	NextPush string // in words; there is no time for it
	NoPull   string // why there is no next pull
	Late     bool   // pulls that were due did not work
}

// translations is how much a project's languages have.
type translations struct {
	Told     bool     // it is known
	Complete []string // languages that lack nothing
	Missing  int      // of all languages
	Pulled   bool     // what the service had at the last pull is here
	Lacking  string   // why something may be missing though it was translated; "" for no such reason
	Editor   bool     // there is a page for translators

	Link func(project, language, key string) string // is the address of a key at the service; "" for none
}

// lists are what a project's page lists.
type lists struct {
	Problems  listed[report.Problem]
	Conflicts listed[report.Conflict]
	Events    listed[report.Event]
}

// buttons are those of a project, for a browser that has the token.
type buttons struct {
	Push, Pull bool   // there is a button for it,
	Nonce      string // which carries this
	Said       string // what became of the last one
}

// listed is a list: what is seen at once, what is seen when it is opened, and how much more there is.
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

// language is how much a language has. Its bar is filled up to Have, and marked as held back between From and To, all
// in percent.
type language struct {
	report.LanguageStatus
	Have, From, To int

	// What there is to do for it: conflicts, other held back translations, and keys that have none at the service.
	Decide, Review, Translate int
}

// complete reports whether nothing is to do for a language.
func (l language) complete() bool { return l.Missing+l.Held+l.Decide == 0 }

// languages adds how much the languages have, and what there is to do for each.
func (p *project) languages(status report.ProjectStatus) {
	decide := make(map[string]int)
	for _, c := range status.Conflicts {
		decide[c.Language]++
	}
	var review, translate []language
	for _, s := range status.Languages {
		l := barOf(s)
		_, held, missing := s.Parts()
		l.Decide, l.Translate = decide[s.Language], missing
		l.Review = max(held-l.Decide, 0)
		switch {
		case l.complete():
			p.Complete = append(p.Complete, s.Language)
		case l.Review+l.Decide > 0:
			review = append(review, l)
		default:
			translate = append(translate, l)
		}
		p.Missing += s.Missing
	}
	all := append(review, translate...)
	now := min(eventsNow, len(all))
	p.Told, p.Languages = len(status.Languages) > 0, listed[language]{First: all[:now], Rest: all[now:]}
}

// Arrived is what pulls of the last seven days brought, in words; "" for nothing.
func (p *project) Arrived() string {
	arrived := report.Arrived(p.Activity, 7)
	var words []string
	for _, code := range slices.Sorted(maps.Keys(arrived)) {
		words = append(words, fmt.Sprintf("%s %s", share.Name(code), number(arrived[code])))
	}
	return text(strings.Join(words, ", "))
}

// lacking adds why translations may be missing though they were made: what is first of these hides what comes behind
// it. least is the state that a pull asks for.
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
		p.Lacking = "Translations in the repository count; pulls bring those that are final at the service."
	case least == "intermediate":
		p.Lacking = "Translations in the repository count; pulls bring those that are intermediate or final at the service."
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

// span is a part of a text: words, or a time, which every reader is shown by the own clock.
type span struct {
	Text string
	At   time.Time // zero: it is words
}

// SaysCause reports whether the state has the causes of what fails.
func (p *project) SaysCause() bool {
	return !p.Busy && p.State == p.ProjectStatus.Sentence(report.InUTC)
}

// stateOf is a project's state, with its times apart.
func stateOf(status report.ProjectStatus) (spans []span) {
	if status.State != status.Sentence(report.InUTC) { // something is going on
		return []span{{Text: sentence(status.State)}}
	}
	const mark = "\x00"
	said := status.Sentence(func(at time.Time) string { return mark + at.UTC().Format(time.RFC3339) + mark })
	for i, part := range strings.Split(said, mark) {
		at, err := time.Parse(time.RFC3339, part)
		switch {
		case i%2 == 1 && err == nil:
			spans = append(spans, span{At: at})
		case i == 0:
			spans = append(spans, span{Text: strings.TrimSuffix(sentence(part), ".")})
		default:
			spans = append(spans, span{Text: text(part)})
		}
	}
	return append(spans, span{Text: "."})
}

// sentence makes one of the engine's words.
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return text(string(unicode.ToUpper(first))+words[size:]) + "."
}

// barOf is a language with its bar. Nothing but all is 100 percent, and the least of anything can be seen. What is held
// back is drawn where translated and missing meet: some of it has an older translation, some has none.
func barOf(l report.LanguageStatus) language {
	total, have := l.Keys+l.Missing, l.Percent()
	if l.Held == 0 || total == 0 {
		return language{LanguageStatus: l, Have: have, From: have, To: have}
	}
	wide := max(100*l.Held/total, 2)
	from := max(min(100*(l.Keys-l.Held+l.HeldMissing)/total, 100-wide), 0)
	return language{LanguageStatus: l, Have: have, From: from, To: from + wide}
}

// anchor is the identifier of a project's part of the page.
func anchor(name string) string { return "p-" + url.QueryEscape(name) }

// text is a text of the repository, the service or an error as the page shows it: no control characters, and not so
// long that it hides the rest.
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
	switch d := now.Sub(t).Abs(); {
	case d < 45*time.Second && !t.Before(now.Add(time.Second)):
		return "in a moment"
	case d < 45*time.Second:
		return "just now"
	case t.After(now):
		return "in " + lasting(d)
	default:
		return lasting(d) + " ago"
	}
}

// lasting is a duration as people say it.
func lasting(d time.Duration) string {
	switch seconds := int(d / time.Second); {
	case seconds < 90*60:
		return fmt.Sprintf("%d min", max((seconds+30)/60, 1))
	case seconds < 36*3600:
		return fmt.Sprintf("%d h", (seconds+1800)/3600)
	default:
		return fmt.Sprintf("%d days", (seconds+12*3600)/(24*3600))
	}
}
