package settings

import (
	"reflect"
	"testing"

	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

func number(n int) *int { return &n }

// What a configured rule does not say is as the service has it.
func TestMerge(t *testing.T) {
	t.Parallel()
	stages := []wire.WorkflowStage{{ID: "s1", StageType: "translation"}, {ID: "s2", StageType: "editing"}}
	memory := memories.Rule{RuleType: wire.RuleMemory, Order: 1, MinThreshold: number(90), MinAssuranceLevel: "qualified",
		ConfirmAtWorkflowStep: "s1"}
	other := memories.Rule{RuleType: wire.RuleMemory, Order: 2, TranslationMemoryID: "B"}
	assurance := memories.Rule{RuleType: wire.RuleAssurance, Order: 3, BlockingSeverityIDs: []string{"major"}}
	have := []memories.Rule{memory, other, assurance}
	for name, c := range map[string]struct {
		want    []rules.Rule
		merged  []memories.Rule
		unknown string
		says    string
	}{
		"the same": {[]rules.Rule{{Kind: "tm"}, {Kind: "tm", Memory: "b"}, {Kind: "lqa"}}, have, "",
			"tm from 90, confirmed at translation; tm, with B; lqa"},
		"more, and in another order": {
			[]rules.Rule{{Kind: "lqa", Profile: "p", Confirm: "Editing"}, {Kind: "tqs", Threshold: 80, MinWords: 3},
				{Kind: "tm", Threshold: 75, Confirm: rules.Never}},
			[]memories.Rule{
				{RuleType: wire.RuleAssurance, Order: 1, BlockingSeverityIDs: []string{"major"}, LQAProfileID: "p",
					ConfirmAtWorkflowStep: "s2"},
				{RuleType: wire.RuleQuality, Order: 2, MinTQSQualityThreshold: number(80), MinSegmentWordsCount: number(3)},
				{RuleType: wire.RuleMemory, Order: 3, MinThreshold: number(75), MinAssuranceLevel: "qualified"}}, "",
			"lqa, with p, confirmed at editing; tqs from 80, of 3 words or more; tm from 75"},
		"each memory finds its own": {[]rules.Rule{{Kind: "tm", Memory: "B"}, {Kind: "tm"}},
			[]memories.Rule{{RuleType: wire.RuleMemory, Order: 1, TranslationMemoryID: "B"},
				{RuleType: wire.RuleMemory, Order: 2, MinThreshold: number(90), MinAssuranceLevel: "qualified",
					ConfirmAtWorkflowStep: "s1"}}, "", "tm, with B; tm from 90, confirmed at translation"},
		"a stage that is not there": {[]rules.Rule{{Kind: "mt", Confirm: "proofreading"}}, nil, "proofreading", ""},
	} {
		merged, unknown := merge(c.want, have, stages)
		if says := describe(merged, stages); !reflect.DeepEqual(merged, c.merged) || unknown != c.unknown || says != c.says {
			t.Errorf("%s: %+v, %q, %s", name, merged, unknown, says)
		}
	}
	if says := describe(fromHere([]rules.Rule{{Kind: "mt", Confirm: "editing"}, {Kind: "numbers", Confirm: rules.Never}}),
		nil); says != "mt, confirmed at editing; numbers" {
		t.Error(says)
	}
}
