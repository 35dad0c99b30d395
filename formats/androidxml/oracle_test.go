package androidxml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// leafSeen is one leaf as a reader sees it.
type leafSeen struct {
	key, form string
	other     bool
	text      string
}

func (l leafSeen) String() string {
	return fmt.Sprintf("%s[%s] other=%v %q", l.key, l.form, l.other, l.text)
}

// ours lists the leaves that the package finds.
func ours(f *resource.File) []leafSeen {
	var all []leafSeen
	for e := range f.Entries() {
		all = append(all, leafSeen{e.Key, e.Form, e.Kind != resource.Text, e.Text})
	}
	return all
}

// readIndependently lists the leaves that the second reader finds: encoding/xml for the XML, and the compiler's rules
// for texts written down stage by stage (cut into stretches, trim, build), where the package itself goes over the bytes
// once.
func readIndependently(reader string, src []byte) ([]leafSeen, error) {
	leaves, err := oracle.Rule{Format: reader}.Read(src)
	var all []leafSeen
	for _, l := range leaves {
		if !l.Keyed || l.Kind == oracle.Empty {
			continue
		}
		seen := leafSeen{key: l.Key, form: l.Form, other: l.Kind != oracle.Text}
		if !seen.other {
			seen.text = l.Text
		}
		all = append(all, seen)
	}
	return all, err
}

// agree holds a file against the independent reader, in both dialects. Where that cannot read a file which the package
// accepts, it says why.
func agree(t testing.TB, src []byte) {
	t.Helper()
	agreeIn(t, Grammar, "android-xml", src)
	agreeIn(t, Compose, "compose-xml", src)
}

func agreeIn(t testing.TB, g resource.Grammar, reader string, src []byte) {
	t.Helper()
	f, err := resource.Parse(g, resource.Keys{}, src)
	if err != nil {
		return
	}
	theirs, err := readIndependently(reader, src)
	if err != nil {
		t.Fatalf("accepted, and encoding/xml refuses it: %v\n%q", err, src)
	}
	mine := ours(f)
	for i := range mine { // a line end in a name is a reference, which the reader above cannot tell from white space
		mine[i].key = strings.NewReplacer("\n", " ", "\t", " ").Replace(mine[i].key)
		mine[i].form = strings.NewReplacer("\n", " ", "\t", " ").Replace(mine[i].form)
	}
	for i := range max(len(mine), len(theirs)) {
		switch {
		case i >= len(mine):
			t.Fatalf("missing: %v\n%q", theirs[i], src)
		case i >= len(theirs):
			t.Fatalf("too much: %v\n%q", mine[i], src)
		case mine[i] != theirs[i]:
			t.Fatalf("%s, leaf %d:\n have %v\n want %v\n%q", reader, i, mine[i], theirs[i], clipped(src))
		}
	}
}

func clipped(src []byte) []byte { return src[:min(len(src), 2000)] }

func TestOracleOnEdges(t *testing.T) {
	for _, e := range resourcetest.Edges(t) {
		t.Run(e.File, func(t *testing.T) { agree(t, e.Src) })
	}
}

func TestOracleOnCorpus(t *testing.T) {
	n := 0
	for _, r := range resourcetest.Corpus(t, "android-xml") {
		t.Run(r.Name, func(t *testing.T) { agree(t, r.Src) })
		f, err := resource.Parse(Grammar, resource.Keys{}, r.Src)
		if err == nil {
			n += len(ours(f))
		}
	}
	if least := 15000; n < least && (resourcetest.All() || n < least/10) {
		t.Errorf("only %d leaves compared", n)
	}
}
