// Package settings creates projects at the service, and compares their settings with the configuration: name,
// languages, rules of pretranslation, and the account's address for notifications and its placeholders. It changes what
// the service can change, and names the rest.
package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
)

// Difference is one setting that is not the same here and there.
type Difference struct {
	// Setting is name, target_language, source_language, pretranslation, documents_pretranslation, callback or
	// placeholder.
	Setting string `json:"setting"`
	Here    string `json:"here"`
	There   string `json:"there"`
	Blocked string `json:"blocked,omitempty"` // why it stays so, and what to do
	Applied bool   `json:"applied"`

	make func(ctx context.Context) error
}

// String is the change that would make both sides equal, or that did.
func (d Difference) String() string {
	name := strings.ReplaceAll(d.Setting, "_", " ")
	switch {
	case d.Applied && d.There == "":
		return "added " + name + " " + d.Here
	case d.Applied:
		return fmt.Sprintf("changed %s from %s to %s", name, d.There, d.Here)
	case d.There == "":
		return "+ " + name + " " + d.Here
	case d.Here == "":
		return "- " + name + " " + d.There
	}
	return fmt.Sprintf("~ %s: %s here, %s at the service", name, d.Here, d.There)
}

// Plan is how the configured projects differ from those at the service.
type Plan struct {
	Projects []ProjectPlan `json:"projects"`
	Account  []Difference  `json:"account"` // what all projects of the account share

	// Others are placeholders of the account that the configuration does not have. They stay.
	Others []string `json:"other_placeholders,omitempty"`
}

// Lines says for people what differs, or, where it was applied, what was done.
func (p Plan) Lines(applied bool) []string {
	var lines []string
	possible := 0
	add := func(of string, differences []Difference) {
		for _, d := range differences {
			line := of + ": " + d.String()
			switch {
			case d.Blocked != "":
				line += ": not possible; " + d.Blocked
			case applied && !d.Applied:
				line += ": not done"
			default:
				possible++
			}
			lines = append(lines, line)
		}
	}
	add("account", p.Account)
	for _, expression := range p.Others {
		lines = append(lines, "account: placeholder "+expression+" stays: it is not in the configuration")
	}
	for _, one := range p.Projects {
		if len(one.Differences) == 0 {
			lines = append(lines, one.Name+": up to date")
		}
		add(one.Name, one.Differences)
	}
	if possible > 0 && !applied {
		lines = append(lines, "locsync project apply makes these changes at the service")
	}
	return lines
}

// ProjectPlan is how one project differs.
type ProjectPlan struct {
	Name        string       `json:"name"`
	ID          string       `json:"id"`
	Differences []Difference `json:"differences"`
}

// Options say what applying a plan may do beyond settings.
type Options struct {
	Replace      bool // an address for notifications that another client registered
	Pretranslate bool // translate by new rules at once what has no translation yet
}

// Find compares the configured projects, or one of them, with the service, and what the account has for all of them.
func Find(ctx context.Context, client *service.Client, cfg *config.Config, only *config.Project,
	o Options) (Plan, error) {
	plan := Plan{Projects: []ProjectPlan{}}
	for i := range cfg.Projects {
		p := &cfg.Projects[i]
		if only != nil && p != only {
			continue
		}
		there, err := client.Projects().Read(ctx, p.ID)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", p.Name, err)
		}
		found := differences(client, p, there)
		more, err := pretranslation(ctx, client, p, there, o.Pretranslate)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", p.Name, err)
		}
		plan.Projects = append(plan.Projects, ProjectPlan{p.Name, p.ID, append(found, more...)})
	}
	var err error
	if plan.Account, err = callback(ctx, client, cfg, o.Replace); err != nil {
		return plan, err
	}
	missing, others, err := placeholders(ctx, client, cfg.Service.Placeholders)
	plan.Account, plan.Others = append(plan.Account, missing...), others
	return plan, err
}

// Stays reports whether one of the differences cannot be made equal.
func (p *Plan) Stays() bool {
	stays := func(d Difference) bool { return d.Blocked != "" }
	return slices.ContainsFunc(p.Account, stays) || slices.ContainsFunc(p.Projects, func(p ProjectPlan) bool {
		return slices.ContainsFunc(p.Differences, stays)
	})
}

// Apply makes what can be made, up to the first that fails.
func (p *Plan) Apply(ctx context.Context) error {
	groups := [][]Difference{p.Account}
	for _, one := range p.Projects {
		groups = append(groups, one.Differences)
	}
	for _, group := range groups {
		for i := range group {
			if group[i].Blocked != "" {
				continue
			}
			if err := group[i].make(ctx); err != nil {
				return err
			}
			group[i].Applied = true
		}
	}
	return nil
}

// differences are those between a project's record and its configuration.
func differences(client *service.Client, p *config.Project, there service.Project) []Difference {
	differences := []Difference{}
	if there.Name != p.Name {
		differences = append(differences, Difference{Setting: "name", Here: p.Name, There: there.Name,
			make: func(ctx context.Context) error {
				return client.Projects().Update(ctx, p.ID, service.ProjectChange{Name: &p.Name})
			}})
	}
	if !strings.EqualFold(there.SourceLanguage, p.SourceLanguage) {
		differences = append(differences, Difference{Setting: "source_language", Here: p.SourceLanguage,
			There:   there.SourceLanguage,
			Blocked: "a source language cannot be changed: create another project, or correct source_language"})
	}
	for _, code := range p.TargetLanguages {
		if !slices.ContainsFunc(there.TargetLanguages, func(have string) bool { return strings.EqualFold(have, code) }) {
			differences = append(differences, Difference{Setting: "target_language", Here: code,
				make: func(ctx context.Context) error {
					return client.Projects().AddTargets(ctx, p.ID, []string{code})
				}})
		}
	}
	for _, code := range there.TargetLanguages {
		if !slices.ContainsFunc(p.TargetLanguages, func(want string) bool { return strings.EqualFold(want, code) }) {
			differences = append(differences, Difference{Setting: "target_language", There: code,
				Blocked: "a language cannot be taken away from a project: add it to target_languages, or let it be"})
		}
	}
	return differences
}

// callback is the difference between the registered address for notifications and the daemon's, if it is to have them.
func callback(ctx context.Context, client *service.Client, cfg *config.Config, replace bool) ([]Difference, error) {
	if cfg.Daemon.PublicURL == "" {
		return []Difference{}, nil
	}
	want, err := process.Callback(cfg)
	if err != nil {
		return nil, err
	}
	have, err := client.Callbacks().Read(ctx)
	if err != nil && !errors.Is(err, service.ErrNotFound) {
		return nil, err
	}
	one := Difference{Setting: "callback", Here: want.URL, There: have.URL, make: func(ctx context.Context) error {
		return client.Callbacks().Set(ctx, want)
	}}
	switch {
	case have.URL == want.URL && slices.Equal(have.AdditionalHeaders, want.AdditionalHeaders):
		return []Difference{}, nil
	case have.URL == want.URL:
		one.Here, one.There = want.URL+" with the configured "+cfg.Daemon.CallbackHeader, have.URL+" with other headers"
	case have.URL != "" && !replace:
		one.Blocked = "another client has this account's address for notifications, and there can be one only: " +
			"--replace takes it over"
	}
	return []Difference{one}, nil
}
