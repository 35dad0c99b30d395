package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/terminal"
)

// atTerminal reports whether a person can be asked: types, and sees the question.
func atTerminal(a *app) bool {
	in, typed := a.in.(*os.File)
	out := outputOf(a.out)
	return typed && out != nil && !a.asJSON && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.file.Fd()))
}

// question is one of init's. The flag of its name answers it beforehand.
type question struct {
	flag, text string
	answered   string // by a flag
	value      *string
	when       func() bool
}

// askFor asks for what no flag has answered.
func askFor(ctx context.Context, a *app, p *proposal, given answers) error {
	if why := p.wrong("name"); why != "" { // which is not asked for
		return misuse(errors.New("--name: " + why))
	}
	c := terminal.Converse(a.in, a.out)
	always := func() bool { return true }
	real := func() bool { return p.url != config.Embedded }
	before := p.source
	if err := p.askSource(ctx, c, given); err != nil {
		return err
	}
	if p.source != before {
		sayFound(a, p)
	}
	if err := p.askTargets(ctx, c, given); err != nil {
		return err
	}
	for _, q := range []question{
		{"url", "Address of the service, or embedded for one inside locsync", given.url, &p.url, always},
		{"account-id", "  Account id", given.account, &p.account, real},
		{"api-key-env", "  Environment variable with the API key", given.keyEnv, &p.keyEnv, real},
		{"project-id", "  Project id there (empty: locsync project create will make one)", given.id, &p.id, real},
		{"branch", "Branch for translations", given.branch, &p.branch, always},
	} {
		if !q.when() || q.answered != "" && p.wrong(q.flag) == "" {
			continue
		}
		byDefault := *q.value
		if p.wrong(q.flag) != "" {
			byDefault = ""
		}
		err := c.Ask(ctx, q.text, byDefault, func(answer string) string {
			*q.value = answer
			return p.wrong(q.flag)
		})
		if err != nil {
			return err
		}
	}
	if err := p.check(); err != nil {
		return err
	}
	agreed := false
	err := c.Ask(ctx, "Write "+p.file+"?", "yes", func(answer string) string {
		switch strings.ToLower(answer) {
		case "y", "yes":
			agreed = true
		case "n", "no":
		default:
			return "yes or no"
		}
		return ""
	})
	if err == nil && !agreed {
		return terminal.ErrUnanswered
	}
	return err
}

// askSource asks for the source language. With another one than was found the files are read again.
func (p *proposal) askSource(ctx context.Context, c *terminal.Conversation, given answers) error {
	if given.source != "" && p.wrong("source") == "" {
		return nil
	}
	byDefault := p.source
	if p.found.Unsure != "" {
		byDefault = ""
	}
	there := p.found.There()
	return c.Ask(ctx, "Source language", byDefault, func(answer string) string {
		if answer == "" {
			return "it must be said: " + p.found.Unsure
		}
		if answer == p.source && p.found.Unsure == "" {
			return p.wrong("source")
		}
		before := *p
		p.lookFor(answer)
		why := p.wrong("source")
		if why == "" && len(p.found.Groups) == 0 {
			why = fmt.Sprintf("no resource file is in %s; %s", answer, there)
		}
		if why != "" {
			*p = before
		}
		return why
	})
}

func (p *proposal) askTargets(ctx context.Context, c *terminal.Conversation, given answers) error {
	if len(given.targets) > 0 && p.wrong("languages") == "" {
		return nil
	}
	return c.Ask(ctx, "Target languages", strings.Join(p.found.Targets, ", "), func(answer string) string {
		p.choose(strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }))
		return p.wrong("languages")
	})
}
