package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/terminal"
)

// question is what is asked for at a terminal. take takes an answer, or says what is wrong with it.
type question struct {
	text, byDefault string
	take            func(answer string) string
}

// Ask asks for what nothing tells and no flag has answered, at most four questions: the source language where two are
// possible; whether translations are reviewed, or, without any, the languages; the service; the collections.
func (p *Proposal) Ask(ctx context.Context, c *terminal.Conversation, given Answers, say Say) error {
	for _, flag := range []string{"name", "api-key-env", "project-id", "branch"} { // which are not asked for
		if why := p.wrong(flag); why != "" {
			return failure.Usage(errors.New("--" + flag + ": " + why))
		}
	}
	for _, asked := range []func(Answers) *question{p.askSource, p.askTargets, p.askReviewed, p.askService,
		p.askCollections} {
		q, before := asked(given), p.Source
		if q == nil {
			continue
		}
		if err := c.Ask(ctx, q.text, q.byDefault, q.take); err != nil {
			return err
		}
		if p.Source != before {
			p.Explain(say, false)
		}
	}
	return p.check()
}

// askSource asks for the source language where two are possible. With another one the files are read again.
func (p *Proposal) askSource(given Answers) *question {
	if (given.Source != "" || p.Found.Sure) && p.wrong("source") == "" {
		return nil
	}
	there := p.Found.There()
	q := &question{text: fmt.Sprintf("Source language (%s; %s)", there, p.Found.Reason), byDefault: p.Source}
	unsure := p.Found.Unsure
	if unsure != "" {
		q.text, q.byDefault = "Source language", ""
	}
	q.take = func(answer string) string {
		switch {
		case answer == "":
			return "it must be said: " + unsure
		case answer == p.Source && unsure == "":
			return p.wrong("source")
		}
		before := *p
		p.lookFor(answer)
		why := p.wrong("source")
		if why == "" && len(p.Found.Groups) == 0 {
			why = fmt.Sprintf("no resource file is in %s; %s", answer, there)
		}
		if why != "" {
			*p = before
		}
		return why
	}
	return q
}

// askTargets asks for the languages where there are none yet.
func (p *Proposal) askTargets(Answers) *question {
	if !p.started && p.wrong("languages") == "" {
		return nil
	}
	return &question{"Languages to translate into (none is there yet)", strings.Join(p.Found.Targets, ", "),
		func(answer string) string {
			p.Targets, p.started = strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }), false
			p.Found.Choose(p.Targets)
			return p.wrong("languages")
		}}
}

// askReviewed asks in which state the translations are that are there.
func (p *Proposal) askReviewed(given Answers) *question {
	translated := make(map[string]bool)
	for _, g := range p.Found.Groups {
		for _, code := range g.Languages[1:] {
			translated[code] = true
		}
	}
	if len(translated) == 0 || given.Reviewed != "" && p.wrong("reviewed") == "" {
		return nil
	}
	return &question{fmt.Sprintf("Are the translations into %s that are there reviewed? Then they count as final, else "+
		"as drafts", terminal.Count(len(translated), "language")), "no", func(answer string) string {
		p.Reviewed = answer
		return p.wrong("reviewed")
	}}
}

// askService asks which service it is, and for its account with it.
func (p *Proposal) askService(given Answers) *question {
	fits := p.wrong("url") == "" && p.wrong("account-id") == ""
	if fits && (given.URL == config.Embedded || p.URL != config.Embedded && p.Account != "") {
		return nil
	}
	q := &question{text: "Translation service: embedded (inside locsync, without an account), or another one's address " +
		"and account id"}
	if fits {
		q.byDefault = p.URL
	}
	q.take = func(answer string) string {
		url, account, _ := strings.Cut(answer, " ")
		p.URL, p.Account = url, cmp.Or(strings.TrimSpace(account), given.Account)
		if p.URL == config.Embedded {
			p.Account = ""
		}
		return cmp.Or(p.wrong("url"), p.wrong("account-id"))
	}
	return q
}

// askCollections asks whether files that have no key in common, and that programs read as namespaces, are to have a
// collection each: later a key may be in two of them. The files of another tool's configuration share one.
func (p *Proposal) askCollections(Answers) *question {
	files := 0
	for _, g := range p.Found.Groups {
		if g.Divisible() {
			files += len(g.Files)
		}
	}
	if files == 0 || p.From != nil || p.offered {
		return nil
	}
	return &question{fmt.Sprintf("No two of %s have a key in common. Do they share one collection, or has each its own, "+
		"so that two may have one later? one or each", terminal.Count(files, "file")), "one", func(answer string) string {
		if answer != "one" && answer != "each" {
			return "one or each"
		}
		for i := range p.Found.Groups {
			if g := &p.Found.Groups[i]; answer == "each" && g.Divisible() {
				g.Divide()
			}
		}
		return ""
	}}
}
