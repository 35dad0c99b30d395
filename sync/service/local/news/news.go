// Package news tells people who translate what has changed for their projects and languages: by a feed, and by one
// mail a day where a mail server is configured.
//
// Its law: a person is told of what the person may see at that moment, and not of what the person did. A mail is sent
// once at most for a day, also across crashes: where it may have been sent, its news come again with the next day's.
// What happened is stored where it happens (store.PutNews), in the same transaction.
package news

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/service/local/mail"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"go.uber.org/zap"
)

// Service tells people of news. It is safe for use by several goroutines.
type Service struct {
	store   *store.Store
	mail    *mail.Server // nil: none is configured
	log     *zap.Logger
	path    string       // of the page, below its address
	address atomic.Value // string: where people reach the page
	asked   store.Signal // raised when an address was asked for
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// New makes the service for a page that is served at a path.
func New(st *store.Store, server *mail.Server, path string, log *zap.Logger) *Service {
	return &Service{store: st, mail: server, path: path, log: log, asked: store.NewSignal()}
}

// Open begins to send mails.
func (s *Service) Open() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if s.mail != nil {
		s.workers.Go(func() { fault.Keep(ctx, "mails of news", func() { s.deliver(ctx) }) })
	}
}

// Close ends the sending; what was not sent is sent after the next Open.
func (s *Service) Close() {
	s.stop()
	s.workers.Wait()
}

// SetAddress says where people reach the page's server.
func (s *Service) SetAddress(base string) { s.address.Store(base) }

// Mails reports whether mails are sent.
func (s *Service) Mails() bool { return s.mail != nil }

// Entry is something that a person is told of.
type Entry struct {
	Number      uint64
	At          time.Time
	Title, Text string
	Link        string // below the page
}

// Bounds of what a person is told of at once.
const (
	mostEntries = 50
	mostText    = 500 // characters of one text
	oldest      = 30 * 24 * time.Hour
)

// entries are what happened for a person after one time until another, the newest first; more reports that there is
// more than that.
func entries(tx *store.Tx, person *store.Person, after, until int64) (all []Entry, more bool, err error) {
	projects := make(map[string]*store.Project)
	if err := store.EachProject(tx, func(p *store.Project) { projects[p.ID] = p }); err != nil {
		return nil, false, err
	}
	after = max(after, until-int64(oldest))
	err = store.EachNews(tx, func(one *store.News) bool {
		p := projects[one.Project]
		if one.At <= after || len(all) == mostEntries {
			more = one.At > after
			return false
		}
		if p != nil && one.At <= until && concerns(person, p, one) {
			all = append(all, entry(person, p, one))
		}
		return true
	})
	return all, more, err
}

// concerns reports whether a person is told of something.
func concerns(person *store.Person, p *store.Project, one *store.News) bool {
	role := person.RoleIn(p.ID, one.Language)
	own := func(name string) bool { return one.By != "" && store.NameKey(name) == store.NameKey(one.By) }
	if role == "" || own(person.Name) || slices.ContainsFunc(person.Former, own) {
		return false
	}
	return one.Kind != store.NewsSuggestion || role.Includes(store.Reviewer)
}

// entry puts something into words.
func entry(person *store.Person, p *store.Project, one *store.News) Entry {
	e := Entry{Number: one.Number, At: time.Unix(0, one.At).UTC(), Text: shortened(one.Text)}
	link := url.Values{"project": {p.ID}, "language": {one.Language}, "show": {"all"}}
	e.Link = "key?"
	in := words.Choose(person.Language, "")
	key := strconv.Quote(one.Key) + " (" + p.Name + ", " + in.Named(one.Language) + ")"
	switch one.Kind {
	case store.NewsTexts:
		e.Title, e.Text, e.Link = textsWords(in, one, p.Name), strings.Join(one.Keys, "\n"), "list?"
		if one.New+one.Changed > len(one.Keys) {
			e.Text += "\n…"
		}
		link.Set("in", one.Collection)
		link.Set("show", "todo")
		for _, code := range slices.Backward(p.Targets) {
			if person.RoleIn(p.ID, code) != "" {
				link.Set("language", code)
			}
		}
	case store.NewsQuestion:
		e.Title = in.Say("%s asks about %s", one.By, key)
	case store.NewsAnswer:
		e.Title = in.Say("Answered for %s: the question about %s", one.By, key)
	case store.NewsRejection:
		e.Title = in.Say("%s rejected the text of %s", one.By, key)
	case store.NewsSuggestion:
		e.Title = in.Say("%s suggests another text for %s", one.By, key)
	}
	if e.Link == "key?" {
		link.Set("at", strconv.FormatUint(one.Row, 10)+"."+one.Collection)
	}
	e.Link += link.Encode()
	return e
}

// textsWords counts source texts.
func textsWords(in *words.Language, one *store.News, project string) string {
	switch {
	case one.Changed == 0:
		return in.Say("New texts in %s: %d", project, one.New)
	case one.New == 0:
		return in.Say("Changed texts in %s: %d", project, one.Changed)
	}
	return in.Say("New texts in %s: %d, changed: %d", project, one.New, one.Changed)
}

// shortened is the beginning of a long text.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > mostText {
		return string(runes[:mostText]) + "…"
	}
	return text
}
