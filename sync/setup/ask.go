package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/terminal"
)

// question is one of init's. The flag of its name answers it beforehand.
type question struct {
	flag, text string
	answered   string // by a flag
	value      *string
	when       func() bool
}

// Ask asks for what no flag has answered. Where the files were read again, they are explained again.
func (p *Proposal) Ask(ctx context.Context, c *terminal.Conversation, given Answers, say Say) error {
	if why := p.wrong("name"); why != "" { // which is not asked for
		return failure.Usage(errors.New("--name: " + why))
	}
	always := func() bool { return true }
	real := func() bool { return p.URL != config.Embedded }
	before := p.Source
	if err := p.askSource(ctx, c, given); err != nil {
		return err
	}
	if p.Source != before {
		p.Explain(say)
	}
	if err := p.askTargets(ctx, c, given); err != nil {
		return err
	}
	for _, q := range []question{
		{"url", "Translation service URL, or embedded for the one inside locsync", given.URL, &p.URL, always},
		{"account-id", "  Account id", given.Account, &p.Account, real},
		{"api-key-env", "  Environment variable with the API key", given.KeyEnv, &p.KeyEnv, real},
		{"project-id", "  Project id there (empty: locsync project create will make one)", given.ID, &p.ID, real},
		{"branch", "Branch for translations", given.Branch, &p.Branch, always},
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
	err := c.Ask(ctx, "Write "+p.File+"?", "yes", func(answer string) string { return terminal.YesOrNo(answer, &agreed) })
	if err == nil && !agreed {
		return terminal.ErrUnanswered
	}
	return err
}

// askSource asks for the source language. With another one than was found the files are read again.
func (p *Proposal) askSource(ctx context.Context, c *terminal.Conversation, given Answers) error {
	if given.Source != "" && p.wrong("source") == "" {
		return nil
	}
	byDefault := p.Source
	if p.Found.Unsure != "" {
		byDefault = ""
	}
	there := p.Found.There()
	return c.Ask(ctx, "Source language", byDefault, func(answer string) string {
		if answer == "" {
			return "it must be said: " + p.Found.Unsure
		}
		if answer == p.Source && p.Found.Unsure == "" {
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
	})
}

func (p *Proposal) askTargets(ctx context.Context, c *terminal.Conversation, given Answers) error {
	if len(given.Targets) > 0 && p.wrong("languages") == "" {
		return nil
	}
	return c.Ask(ctx, "Target languages", strings.Join(p.Found.Targets, ", "), func(answer string) string {
		p.choose(strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }))
		return p.wrong("languages")
	})
}
