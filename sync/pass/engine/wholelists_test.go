package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// An entry without a translation that comes first in a list takes the whole translated list out, since a list is whole
// or absent: each of its texts counts as removed, for the report and the guard. With the translation the list is back.
func TestAListThatIsCut(t *testing.T) {
	t.Parallel()
	list := func(first string, texts string, n int) string {
		var b strings.Builder
		b.WriteString("days:\n" + first)
		for i := range n {
			fmt.Fprintf(&b, "  - %s %d\n", texts, i)
		}
		return b.String() + "other: " + texts + "\n"
	}
	for _, n := range []int{3, 12} {
		w := newWorld(t, settings+"[project.push]\ncompletion_state = \"final\"\n[[project.files]]\nsource = \"en.yaml\"\n"+
			"format = \"structured-yaml\"\noutput = \"{LANGUAGE}.yaml\"\n",
			map[string]string{"en.yaml": list("", "Day", n), "de.yaml": list("", "Tag", n)})
		w.syncs()
		w.write("en.yaml", list("  - The first of all\n", "Day", n))
		w.commit()
		w.pushes(push.Options{})
		p := w.pulls(pull.Options{})
		if n == 12 {
			w.problem(p.Problems, report.CodeGuard, "12 of its 13 translations")
			p = w.pulls(pull.Options{Force: true})
		}
		if len(p.Files) != 1 || p.Files[0].Removed != n || p.Keys != n {
			t.Errorf("%d texts: %+v", n, p)
		}
		for _, problem := range p.Problems {
			if !strings.Contains(problem.Problem+problem.Remedy, "the file has nothing of it") {
				t.Errorf("%d texts: %v", n, problem)
			}
		}
		if got, want := w.show("l10n", "de.yaml"), "other: Tag\n"; strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%d texts: the branch has\n%s", n, got)
		}
		w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "de", Format: "structured-yaml",
			CompletionState: service.Final, Files: []service.Upload{{Name: "t.yaml", Body: []byte("days:\n  - Der erste\n")}}})
		w.pulls(pull.Options{})
		if got, want := w.show("l10n", "de.yaml"), list("  - Der erste\n", "Tag", n); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%d texts: with its translation the branch has\n%s\nwant\n%s", n, got, want)
		}
		w.close()
	}
}
