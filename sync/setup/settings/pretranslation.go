package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// kinds are the rules of the service, as a configuration calls them.
var kinds = map[string]wire.RuleType{"tm": wire.RuleMemory, "mt": wire.RuleMachine,
	"numbers": wire.RuleNumberConversion, "tqs": wire.RuleQuality, "lqa": wire.RuleAssurance}

// pretranslation compares the rules of a project, and those of its project for documents, where any are configured.
func pretranslation(ctx context.Context, client *service.Client, p *config.Project, there service.Project,
	start bool) (all []Difference, err error) {
	if len(p.Pretranslation) > 0 {
		d, differs, err := rulesOf(ctx, client, there, p.Pretranslation, start)
		if err != nil {
			return nil, err
		}
		if d.Setting = "pretranslation"; differs {
			all = append(all, d)
		}
	}
	if len(p.Documents.Pretranslation) == 0 {
		return all, nil
	}
	none := Difference{Setting: "documents_pretranslation", Here: describe(fromHere(p.Documents.Pretranslation), nil),
		Blocked: "there is no project for documents: locsync project create --documents --write makes one"}
	if p.Documents.ID == "" {
		return append(all, none), nil
	}
	documents, err := client.Projects().Read(ctx, p.Documents.ID)
	if err != nil {
		return nil, err
	}
	d, differs, err := rulesOf(ctx, client, documents, p.Documents.Pretranslation, start)
	if d.Setting = "documents_pretranslation"; differs {
		all = append(all, d)
	}
	return all, err
}

// rulesOf compares the rules of one project at the service. They are one setting: which come first matters, and the
// service replaces all at once.
func rulesOf(ctx context.Context, client *service.Client, there service.Project, want []rules.Rule,
	start bool) (d Difference, differs bool, err error) {
	d.Here = describe(fromHere(want), nil)
	have, err := memories.RulesOf(client).Read(ctx, there.ID)
	switch {
	case service.Missing(err):
		d.Blocked = "this service has no rules of pretranslation: take them out of the configuration"
		return d, true, nil
	case errors.Is(err, service.ErrAuth), errors.Is(err, service.ErrRefused): // the project itself could be read
		d.Blocked = fmt.Sprintf("the service has no rules for this project (%v): take them out of the configuration", err)
		return d, true, nil
	case err != nil:
		return d, false, err
	}
	d.There = describe(have, there.WorkflowStages)
	merged, unknown := merge(want, have, there.WorkflowStages)
	if unknown != "" {
		d.Blocked = fmt.Sprintf("the project has no stage %q; it has %s: correct confirm", unknown, stagesOf(there))
		return d, true, nil
	}
	d.Here = describe(merged, there.WorkflowStages)
	d.make = func(ctx context.Context) error { return memories.RulesOf(client).Set(ctx, there.ID, merged, start) }
	for i := range have {
		have[i].Order = i + 1
	}
	return d, !reflect.DeepEqual(merged, have), nil
}

// merge makes rules of the service of the configured ones. What those do not say is as in the rule of the same kind,
// and memory, that the service has; the second of a kind as the second there. unknown is a stage that is not there.
func merge(want []rules.Rule, have []memories.Rule,
	stages []wire.WorkflowStage) (merged []memories.Rule, unknown string) {
	left := slices.Clone(have)
	for i, w := range want {
		r := memories.Rule{RuleType: kinds[w.Kind]}
		same := func(h memories.Rule) bool {
			asked := func(w rules.Rule) bool { return w.Memory != "" && strings.EqualFold(w.Memory, h.TranslationMemoryID) }
			return h.RuleType == r.RuleType && (asked(w) || w.Memory == "" && !slices.ContainsFunc(want, asked))
		}
		if at := slices.IndexFunc(left, same); at >= 0 {
			r = left[at]
			left = slices.Delete(left, at, at+1)
		}
		r.Order = i + 1
		r.TranslationMemoryID = cmp.Or(r.TranslationMemoryID, w.Memory)
		r.LQAProfileID = cmp.Or(w.Profile, r.LQAProfileID)
		if words := int(w.MinWords); words > 0 {
			r.MinSegmentWordsCount = &words
		}
		switch least := int(w.Threshold); {
		case least > 0 && w.Kind == "tqs":
			r.MinTQSQualityThreshold = &least
		case least > 0:
			r.MinThreshold = &least
		}
		is := func(s wire.WorkflowStage) bool { return strings.EqualFold(string(s.StageType), w.Confirm) }
		switch stage := slices.IndexFunc(stages, is); {
		case w.Confirm == rules.Never:
			r.ConfirmAtWorkflowStep = ""
		case w.Confirm != "" && stage < 0:
			return nil, w.Confirm
		case w.Confirm != "":
			r.ConfirmAtWorkflowStep = stages[stage].ID
		}
		merged = append(merged, r)
	}
	return merged, ""
}

// fromHere are the configured rules without what the service may add.
func fromHere(want []rules.Rule) []memories.Rule {
	var stages []wire.WorkflowStage
	for _, w := range want {
		stages = append(stages, wire.WorkflowStage{ID: w.Confirm, StageType: wire.StageType(w.Confirm)})
	}
	merged, _ := merge(want, nil, stages)
	return merged
}

// describe says rules in a line: tm from 75 %, confirmed at editing; mt.
func describe(all []memories.Rule, stages []wire.WorkflowStage) string {
	var said []string
	for _, r := range all {
		text := string(r.RuleType)
		for kind, of := range kinds {
			if of == r.RuleType {
				text = kind
			}
		}
		add := func(format string, args ...any) { text += fmt.Sprintf(format, args...) }
		if least := cmp.Or(r.MinThreshold, r.MinTQSQualityThreshold); least != nil {
			add(" from %d", *least)
		}
		if r.MinSegmentWordsCount != nil {
			add(", of %d words or more", *r.MinSegmentWordsCount)
		}
		if id := cmp.Or(r.TranslationMemoryID, r.LQAProfileID); id != "" {
			add(", with %s", id)
		}
		if stage := r.ConfirmAtWorkflowStep; stage != "" {
			for _, s := range stages {
				if s.ID == stage {
					stage = string(s.StageType)
				}
			}
			add(", confirmed at %s", stage)
		}
		said = append(said, text)
	}
	return strings.Join(said, "; ")
}

func stagesOf(p service.Project) string {
	var types []string
	for _, s := range p.WorkflowStages {
		types = append(types, string(s.StageType))
	}
	return cmp.Or(strings.Join(types, ", "), "none")
}

// placeholders compares those of the account with the configured ones, where there are any. others are in the account
// alone: another program, or a person, added them.
func placeholders(ctx context.Context, client *service.Client, want []string) (all []Difference, others []string,
	err error) {
	if len(want) == 0 {
		return nil, nil, nil
	}
	at := memories.PlaceholdersOf(client)
	have, err := at.Read(ctx)
	if service.Missing(err) {
		return []Difference{{Setting: "placeholder", Here: strings.Join(want, ", "),
			Blocked: "this service has no placeholders: take them out of service.placeholders"}}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, expression := range want {
		if slices.Contains(have, expression) {
			continue
		}
		d := Difference{Setting: "placeholder", Here: expression, make: func(ctx context.Context) error {
			now, err := at.Read(ctx) // the account's, which others may have changed since
			if err != nil || slices.Contains(now, expression) {
				return err
			}
			return at.Set(ctx, append(now, expression))
		}}
		err := at.Check(ctx, expression)
		switch {
		case errors.Is(err, service.ErrRefused) && !service.Missing(err):
			d.Blocked = fmt.Sprintf("the service does not take it (%v): correct service.placeholders", err)
		case err != nil && !service.Missing(err):
			return nil, nil, err
		}
		all = append(all, d)
	}
	for _, expression := range have {
		if !slices.Contains(want, expression) {
			others = append(others, expression)
		}
	}
	return all, others, nil
}
