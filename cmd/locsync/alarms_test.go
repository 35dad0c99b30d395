//go:build unix

package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/report"
)

// alarm is a problem that check names in a real repository, as the list has it. Of a key that is a sentence, the list
// has a digest: texts are their projects'.
type alarm struct{ repository, kind, place, key string }

func (a alarm) String() string { return a.judgedBy() + "\t" + a.key }

// judgedBy is what a judgement is about: how keys are spelled is the configuration's to say.
func (a alarm) judgedBy() string { return strings.Join([]string{a.repository, a.kind, a.place}, "\t") }

// What people who looked at an alarm say of it: it is right, it is wrong, or only the program's code can tell.
const (
	trueAlarm  = "true"
	falseAlarm = "false"
	openAlarm  = "open"
)

// mostSampled is how many warnings of a kind are looked at: those whose digests are the smallest.
const mostSampled = 40

// alarms are all problems of a configuration as init writes it: errors, and warnings of the kinds that are harmless.
func (n *newcomer) alarms(repository string) (errors, warnings []alarm) {
	n.initialized()
	var out struct {
		Projects []struct {
			Problems []report.Problem `json:"problems"`
		} `json:"projects"`
	}
	if err := json.Unmarshal([]byte(n.locsync("check", "--json").out), &out); err != nil {
		n.Fatal(err)
	}
	for _, project := range out.Projects {
		for _, p := range project.Problems {
			key := p.Key
			if strings.ContainsAny(key, " \t\n") || len(key) > 80 {
				key = fmt.Sprintf("#%x", sha256.Sum256([]byte(key)))[:9]
			}
			a := alarm{repository, p.Code, fmt.Sprintf("%s:%d", p.File, p.Line), key}
			switch {
			case p.Severity == report.Error:
				errors = append(errors, a)
			case slices.Contains(check.Kinds, p.Code) && filepath.Base(p.File) != "locsync.toml":
				warnings = append(warnings, a)
			}
		}
	}
	return errors, warnings
}

// Every error of check over the real repositories is in testdata/alarms.txt, with what people say of it who looked at
// both texts: at most 2 % are false. Of each kind of warnings a sample is there, and how many there are. A new alarm has
// no judgement yet, and fails; LOCSYNC_UPDATE=1 writes the list.
func TestAlarms(t *testing.T) {
	gittest.Long(t)
	gittest.Need(t)
	archives := realRepositories(t)
	more, err := filepath.Glob(filepath.Join(repositoriesDir(), "..", "strangers", "*.tar.gz"))
	if err != nil || len(more) == 0 {
		t.Skipf("the other real repositories are not here: %v", err)
	}
	var (
		guard            sync.Mutex
		errors, warnings []alarm
	)
	t.Run("check", func(t *testing.T) {
		work := make(chan struct{}, runtime.NumCPU())
		for _, archive := range append(archives, more...) {
			name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				work <- struct{}{}
				defer func() { <-work }()
				held, told := arrive(t, bareOf(t, unpacked(t, archive)), new(spending)).alarms(name)
				guard.Lock()
				defer guard.Unlock()
				errors, warnings = append(errors, held...), append(warnings, told...)
			})
		}
	})
	sample, counts := sampled(warnings)
	list := filepath.Join("testdata", "alarms.txt")
	judged := judgements(t, list)
	var page strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&page, "warnings\t%s\t%d\n", kind, counts[kind])
	}
	said := make(map[string]map[string]int) // of errors, and of each kind of warnings
	say := func(what string, all []alarm) {
		slices.SortFunc(all, func(a, b alarm) int { return cmp.Compare(a.String(), b.String()) })
		for _, a := range all {
			judgement := cmp.Or(judged[a.judgedBy()], "?")
			fmt.Fprintf(&page, "%s\t%s\t%s\n", what, judgement, a)
			if said[what] == nil {
				said[what] = make(map[string]int)
			}
			said[what][judgement]++
		}
	}
	say("error", errors)
	for _, kind := range slices.Sorted(maps.Keys(sample)) {
		say(kind, sample[kind])
	}
	if os.Getenv("LOCSYNC_UPDATE") != "" {
		if err := os.WriteFile(list, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed := readPage(t, list)
	for line := range strings.Lines(page.String()) {
		if strings.Contains(line, "\t?\t") || !strings.Contains(listed, line) {
			t.Errorf("%s has no judgement of: %s", list, strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(listed) {
		if !strings.Contains(page.String(), line) {
			t.Errorf("%s has an alarm that is no more: %s", list, strings.TrimSpace(line))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(said)) {
		t.Logf("%s: %d looked at, %d true, %d false, %d open", what, len(sample[what])+len(errors)*bit(what == "error"),
			said[what][trueAlarm], said[what][falseAlarm], said[what][openAlarm])
	}
	if of := said["error"]; of[falseAlarm]*100 > 2*(of[trueAlarm]+of[falseAlarm]) {
		t.Errorf("%d of %d errors are false, more than 2 %%", of[falseAlarm], of[trueAlarm]+of[falseAlarm])
	}
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sampled are some warnings of each kind, and how many there are.
func sampled(all []alarm) (sample map[string][]alarm, counts map[string]int) {
	digest := func(a alarm) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(a.String()))) }
	slices.SortFunc(all, func(a, b alarm) int { return cmp.Compare(digest(a), digest(b)) })
	sample, counts = make(map[string][]alarm), make(map[string]int)
	for _, a := range all {
		counts[a.kind]++
		if counts[a.kind] <= mostSampled {
			sample[a.kind] = append(sample[a.kind], a)
		}
	}
	return sample, counts
}

// judgements are those of the list, by alarm.
func judgements(t *testing.T, list string) map[string]string {
	t.Helper()
	judged := make(map[string]string)
	text, err := os.ReadFile(list)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 6 && fields[0] != "warnings" && fields[1] != "?" {
			judged[strings.Join(fields[2:5], "\t")] = fields[1]
		}
	}
	return judged
}
