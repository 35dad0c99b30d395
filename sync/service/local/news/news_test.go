package news

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/service/local/mail"
	"github.com/locsync/locsync/sync/service/local/mail/mailtest"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"go.uber.org/zap"
)

// project is one in English, German and Polish.
const project = "3f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f"

// world is a service of news with the people Anna, a manager, and Ben, who translates into German. It uses the clock
// of the bubble that it is made in.
type world struct {
	t     *testing.T
	store *store.Store
	*Service
}

func newWorld(t *testing.T, dir string, server *mail.Server) *world {
	t.Helper()
	st, err := store.Open(dir, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	st.SetDurable(false)
	w := &world{t, st, New(st, server, "/translate/", zap.NewNop())}
	w.SetAddress("https://l10n.example.com")
	w.update(func(tx *store.Tx, known *store.People) error {
		if p, err := store.ProjectOf(tx, project); p != nil || err != nil {
			return err
		}
		err := store.PutProject(tx, &store.Project{ID: project, Account: "me", Name: "app", Source: "en",
			Targets: []string{"de", "pl"}, Type: wire.ProjectTypeLocalization})
		if err != nil {
			return err
		}
		if err := known.Put(&store.Person{Name: "Anna", Manager: true}, ""); err != nil {
			return err
		}
		return known.Put(&store.Person{Name: "Ben", Roles: []store.Grant{{Role: store.Translator, Languages: []string{"de"}}}},
			"")
	})
	return w
}

func (w *world) update(do func(tx *store.Tx, known *store.People) error) {
	w.t.Helper()
	err := w.store.Update(func(tx *store.Tx) error {
		known, err := store.OpenPeople(tx)
		if err != nil {
			return err
		}
		return do(tx, known)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// happens stores news.
func (w *world) happens(one store.News) {
	w.t.Helper()
	one.Project, one.Collection = project, "main"
	w.update(func(tx *store.Tx, _ *store.People) error { return store.PutNews(tx, one) })
}

func (w *world) person(name string) (person *store.Person) {
	w.t.Helper()
	w.update(func(_ *store.Tx, known *store.People) (err error) {
		person, err = known.Person(name)
		return err
	})
	return person
}

// told are the titles of what a person is told of.
func (w *world) told(name string) (all []string) {
	w.t.Helper()
	person := w.person(name)
	w.update(func(tx *store.Tx, _ *store.People) error {
		found, _, err := entries(tx, person, 0, tx.Now())
		for _, e := range found {
			all = append(all, e.Title)
		}
		return err
	})
	return all
}

// Who is told of what: by projects, languages and roles, and of nothing that one did oneself.
func TestWhoIsTold(t *testing.T) {
	for _, c := range []struct {
		news      store.News
		anna, ben string
	}{
		{store.News{Kind: store.NewsTexts, New: 1, Keys: []string{"a"}}, "New texts in app: 1", "New texts in app: 1"},
		{store.News{Kind: store.NewsTexts, New: 3, Changed: 1}, "New texts in app: 3, changed: 1",
			"New texts in app: 3, changed: 1"},
		{store.News{Kind: store.NewsTexts, Changed: 2}, "Changed texts in app: 2", "Changed texts in app: 2"},
		{store.News{Kind: store.NewsQuestion, By: "Cem", Language: "de", Key: "k"},
			`Cem asks about "k" (app, German (de))`, `Cem asks about "k" (app, German (de))`},
		{store.News{Kind: store.NewsQuestion, By: "Cem", Language: "pl", Key: "k"},
			`Cem asks about "k" (app, Polish (pl))`, ""},
		{store.News{Kind: store.NewsAnswer, By: "Cem", Language: "de", Key: "k"},
			`Answered for Cem: the question about "k" (app, German (de))`,
			`Answered for Cem: the question about "k" (app, German (de))`},
		{store.News{Kind: store.NewsRejection, By: "anna", Language: "de", Key: "k"}, "",
			`anna rejected the text of "k" (app, German (de))`},
		{store.News{Kind: store.NewsSuggestion, By: "Cem", Language: "de", Key: "k"},
			`Cem suggests another text for "k" (app, German (de))`, ""},
	} {
		w := newWorld(t, t.TempDir(), nil)
		w.happens(c.news)
		for name, want := range map[string]string{"Anna": c.anna, "Ben": c.ben} {
			if got := strings.Join(w.told(name), "; "); got != want {
				t.Errorf("%+v: %s is told %q, not %q", c.news, name, got, want)
			}
		}
		w.store.Close()
	}
}

// What is told of is bounded, and so is what is kept.
func TestBounds(t *testing.T) {
	w := newWorld(t, t.TempDir(), nil)
	defer w.store.Close()
	w.update(func(tx *store.Tx, _ *store.People) error {
		for i := range 5100 {
			err := store.PutNews(tx, store.News{Kind: store.NewsTexts, Project: project, New: i + 1})
			if err != nil {
				return err
			}
		}
		kept := 0
		err := store.EachNews(tx, func(*store.News) bool { kept++; return true })
		if kept != 5000 {
			t.Errorf("%d are kept", kept)
		}
		return err
	})
	if told := w.told("Ben"); len(told) != mostEntries || told[0] != "New texts in app: 5100" {
		t.Errorf("%d: %s", len(told), told[0])
	}
}

// configured is the server of a folder for a server of tests.
func configured(t *testing.T, at *mailtest.Server) (dir string, server *mail.Server) {
	t.Helper()
	dir = t.TempDir()
	text := fmt.Sprintf(`{"host": "127.0.0.1", "port": %d, "security": "none", "from": "l10n@example.com"}`, at.Port)
	err := os.WriteFile(filepath.Join(dir, mail.File), []byte(text), 0o600)
	if err == nil {
		server, err = mail.Read(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, server
}

// wordIn is the word of the link that a mail has, below the page.
func wordIn(t *testing.T, text, path string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "https://l10n.example.com/translate/"+path+"?word=")
	if !found {
		t.Fatalf("no link to %s in:\n%s", path, text)
	}
	return strings.Fields(rest)[0]
}

// subscribed has Ben confirm an address.
func (w *world) subscribed(at *mailtest.Server) {
	w.t.Helper()
	if err := w.Ask("Ben", "ben@example.com"); err != nil {
		w.t.Fatal(err)
	}
	got := <-at.Arrived
	if got.To != "ben@example.com" {
		w.t.Errorf("%+v", got)
	}
	if err := w.Confirm("guess"); err == nil {
		w.t.Error("a guess confirms")
	}
	synctest.Wait()
	if err := w.Confirm(wordIn(w.t, got.Text, "confirm")); err != nil {
		w.t.Fatal(err)
	}
}

// until sleeps to a time of the day, and lets what is due then be done.
func (w *world) until(hour, minute int) {
	now := time.Now()
	next := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	time.Sleep(next.Sub(now))
	synctest.Wait()
}

// One mail a day is sent at its time, when there are news; none when there is none, or when they were ended.
func TestDailyMail(t *testing.T) {
	at := mailtest.New(t, nil)
	dir, server := configured(t, at)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir, server)
		w.happens(store.News{Kind: store.NewsTexts, New: 9})
		w.Open()
		w.subscribed(at)
		sent := func(want ...string) {
			t.Helper()
			var got []string
			for _, m := range at.Taken()[1:] {
				got = append(got, m.Header.Get("Subject"))
			}
			if strings.Join(got, "; ") != strings.Join(want, "; ") {
				t.Fatalf("at %s: %q, not %q", time.Now().Format(time.DateTime), got, want)
			}
		}
		w.until(8, 0)
		sent() // what was there before is no news
		w.until(12, 0)
		w.happens(store.News{Kind: store.NewsRejection, By: "Anna", Language: "de", Key: "k", Text: "too long", Row: 7})
		w.happens(store.News{Kind: store.NewsTexts, New: 1, Keys: []string{"next"}})
		w.until(6, 59)
		sent()
		w.until(7, 1)
		sent("Translations: 2 news")
		mailed := at.Taken()[1]
		for _, part := range []string{"Anna rejected the text of \"k\" (app, German (de))\n  too long\n", "at=7.main", "New texts in app: 1"} {
			if !strings.Contains(mailed.Text, part) {
				t.Errorf("no %q in:\n%s", part, mailed.Text)
			}
		}
		w.until(7, 1) // nothing happened
		sent("Translations: 2 news")
		w.happens(store.News{Kind: store.NewsQuestion, By: "Anna", Language: "de", Key: "k"})
		w.until(23, 0)
		w.Close()
		w.store.Close()
		time.Sleep(14 * time.Hour) // it is down at the time of the mail, which follows at the start
		w = newWorld(t, dir, server)
		w.Open()
		synctest.Wait()
		sent("Translations: 2 news", `Translations: Anna asks about "k" (app, German (de))`)
		w.happens(store.News{Kind: store.NewsTexts, New: 2})
		w.until(7, 1)
		sent("Translations: 2 news", `Translations: Anna asks about "k" (app, German (de))`,
			"Translations: New texts in app: 2")
		if err := w.Unsubscribe(wordIn(t, mailed.Text, "unsubscribe")); err != nil {
			t.Error(err)
		}
		w.happens(store.News{Kind: store.NewsTexts, New: 4})
		w.until(7, 1)
		if err := w.Switch("Ben", true); err != nil {
			t.Error(err)
		}
		w.until(7, 1)
		if n := len(at.Taken()); n != 4 {
			t.Errorf("%d mails", n)
		}
		w.happens(store.News{Kind: store.NewsTexts, New: 5})
		w.until(7, 1)
		if n := len(at.Taken()); n != 5 {
			t.Errorf("%d mails after they were turned on", n)
		}
		w.Close()
		w.store.Close()
	})
}

// A mail that fails is tried again until it is sent, once; one that may have been sent, or is refused for good, is not
// sent again, and what it told comes with the next day's.
func TestFailedMail(t *testing.T) {
	for _, c := range []struct {
		name, command, answer string
		after                 time.Duration // how long the server answers so
		today, tomorrow       int           // mails that were taken
		wrong                 string
	}{
		{"busy", "MAIL", "451 later", 3 * time.Hour, 1, 1, ""},
		{"away", "EHLO", "hang up", 30 * time.Minute, 1, 1, ""},
		{"for days", "MAIL", "421 away", 30 * time.Hour, 0, 1, ""},
		{"no such receiver", "RCPT", "550 no such person", time.Hour, 0, 1, "550 no such person"},
		{"lost answer", ".", "hang up", time.Hour, 0, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := mailtest.New(t, nil)
			dir, server := configured(t, at)
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dir, server)
				w.Open()
				w.subscribed(at)
				w.until(7, 1)
				tries := 0
				begin := time.Now()
				at.Answer(func(command string) string {
					if command != c.command {
						return ""
					}
					tries++
					return c.answer
				})
				w.happens(store.News{Kind: store.NewsTexts, New: 1})
				w.until(6, 59)
				time.Sleep(time.Minute + c.after)
				if wrong := w.person("Ben").Told.Wrong; wrong != c.wrong {
					t.Errorf("wrong: %q, not %q", wrong, c.wrong)
				}
				at.Answer(nil)
				w.until(15, 0)
				if n := len(at.Taken()) - 1; n != c.today && c.after < 24*time.Hour {
					t.Errorf("%d mails after %v, not %d", n, time.Since(begin), c.today)
				}
				w.until(7, 1)
				w.until(7, 1)
				if n := len(at.Taken()) - 1; n != c.tomorrow {
					t.Errorf("%d mails in the end, not %d", n, c.tomorrow)
				}
				if tries == 0 || c.today == 0 && c.after < 24*time.Hour && tries > 1 || tries > 40 {
					t.Errorf("%d tries", tries)
				}
				if got := w.person("Ben").Told; got.Wrong != "" {
					t.Errorf("%+v", got)
				}
				w.Close()
				w.store.Close()
			})
		})
	}
}

// A mail that may have been sent when the process was killed is not sent again.
func TestKilledWhileSending(t *testing.T) {
	at := mailtest.New(t, nil)
	dir, server := configured(t, at)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir, server)
		w.Open()
		w.subscribed(at)
		w.until(12, 0)
		w.happens(store.News{Kind: store.NewsTexts, New: 1})
		w.Close()
		time.Sleep(24 * time.Hour)
		w.update(func(_ *store.Tx, known *store.People) error { // as it is stored before the mail is sent
			return known.Change("Ben", func(one *store.Person) { one.Told.Trying = w.last().UnixNano() })
		})
		w.Service = New(w.store, server, "/translate/", zap.NewNop())
		w.SetAddress("https://l10n.example.com")
		w.Open()
		synctest.Wait()
		if n := len(at.Taken()) - 1; n != 0 {
			t.Errorf("%d mails on the same day", n)
		}
		w.until(7, 1)
		if n := len(at.Taken()) - 1; n != 1 {
			t.Errorf("%d mails on the next", n)
		}
		w.Close()
		w.store.Close()
	})
}

// A person is told in the language of the person's pages.
func TestLanguageOfNews(t *testing.T) {
	w := newWorld(t, t.TempDir(), nil)
	defer w.store.Close()
	w.happens(store.News{Kind: store.NewsRejection, By: "Anna", Language: "de", Key: "k"})
	w.update(func(_ *store.Tx, known *store.People) error {
		return known.Change("Ben", func(one *store.Person) { one.Language = "de" })
	})
	if got := w.told("Ben")[0]; got != `Anna hat den Text von "k" (app, Deutsch (de)) abgelehnt` {
		t.Error(got)
	}
}

// Mails to addresses whose owners do not answer are ever further apart.
func TestAskingIsSlowed(t *testing.T) {
	at := mailtest.New(t, nil)
	dir, server := configured(t, at)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir, server)
		w.Open()
		for end := time.Now().Add(24 * time.Hour); time.Now().Before(end); time.Sleep(time.Minute) {
			_ = w.Ask("Ben", "stranger@example.com") // most are refused
			synctest.Wait()
		}
		if n := len(at.Taken()); n < 9 || n > 12 {
			t.Errorf("%d mails in a day", n)
		}
		w.Close()
		w.store.Close()
	})
}
