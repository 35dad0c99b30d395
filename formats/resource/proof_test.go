package resource_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/jsonfile"
	"github.com/locsync/locsync/formats/resource"
	"pgregory.net/rapid"
)

// faulty is a grammar with faults in the way it writes, as a real one may have them in a file of an unforeseen
// shape: what is named after a fault goes wrong that way.
type faulty struct{ resource.Grammar }

var faults = map[string]func(f *resource.File, s resource.Splice) (resource.Splice, error){
	"other text": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, "zz", "other"), nil
	},
	"not a text": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, `"zz"`, "12"), nil
	},
	"unreadable": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, `"zz"`, `"zz`), nil
	},
	"one too few": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return resource.Splice{At: s.At}, nil
	},
	"one too many": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, `"zz"`, `"zz", "extra": "x"`), nil
	},
	"doubled": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, `"zz"`, `"zz", "a": "doubled"`), nil
	},
	"nested": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return respell(s, `"zz"`, `{"nested": "zz"}`), nil
	},
	"all before": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return resource.Splice{At: resource.At(1, int(s.At.End)), Text: s.Text}, nil
	},
	"no comma": func(f *resource.File, s resource.Splice) (resource.Splice, error) {
		if f.Source()[s.At.End] == ',' {
			s.At.End++
		}
		return s, nil
	},
	"cannot do it": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		return s, errors.New("cannot do it")
	},
	"another place": func(_ *resource.File, s resource.Splice) (resource.Splice, error) {
		s.At = resource.At(1, 1)
		return s, nil
	},
}

func respell(s resource.Splice, old, text string) resource.Splice {
	s.Text = strings.Replace(s.Text, old, text, 1)
	return s
}

// faultOf returns the fault that a name brings with it.
func faultOf(name string) func(*resource.File, resource.Splice) (resource.Splice, error) {
	fault, _, _ := strings.Cut(name, "#")
	return faults[fault]
}

func (g faulty) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	s, err := g.Grammar.Set(f, i, text)
	if fault := faultOf(f.Name(i)); fault != nil && err == nil {
		return fault(f, s)
	}
	return s, err
}

func (g faulty) Insert(f *resource.File, at resource.Gap, add []resource.New) (resource.Splice, error) {
	s, err := g.Grammar.Insert(f, at, add)
	for _, n := range add {
		if fault := faultOf(n.Name); fault != nil && err == nil {
			return fault(f, s)
		}
	}
	return s, err
}

func (g faulty) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	ss, err := g.Grammar.Remove(f, gone)
	for _, i := range gone {
		if fault := faultOf(f.Name(i)); fault != nil && err == nil {
			ss[0], err = fault(f, ss[0])
		}
	}
	return ss, err
}

var nested = resource.Keys{Structured: true}

func parse(t interface{ Fatalf(string, ...any) }, g resource.Grammar, src []byte) *resource.File {
	f, err := resource.Parse(g, nested, src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// Whatever a grammar does wrong, no byte of it is kept, and it keeps nothing else from being done: the result is that
// of the good edits alone.
func TestFaultsOfAGrammarDamageNothing(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for fault := range faults {
		names = append(names, fault+"#1", fault+"#2")
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		var src strings.Builder
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 2, 20, rapid.ID).Draw(t, "names")
		for i, name := range some {
			fmt.Fprintf(&src, "%s\n  %q: \"text %d\"", []string{",", "{"}[(len(some)-i)/len(some)], name, i)
		}
		src.WriteString(",\n  \"map\": {\"z\": \"x\"}\n}\n")
		var good, all []resource.Edit
		bad := make(map[string]bool)
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 40, rapid.ID).Draw(t, "edited") {
			e := resource.Edit{Op: resource.Set, Key: name, Text: "zz"}
			if rapid.IntRange(0, 3).Draw(t, "op") == 0 {
				e.Op, e.Text = resource.Remove, ""
			}
			switch fault := faultOf(name); {
			case rapid.Bool().Draw(t, "inside") && fault == nil:
				e.Key = "map/" + name
				good = append(good, e)
			case fault == nil:
				good = append(good, e)
			default:
				bad[e.Key] = true
			}
			all = append(all, e)
		}
		_, refused := parse(t, jsonfile.Grammar, []byte(src.String())).Rewrite(good, nil)
		if len(refused) > 0 {
			t.Fatalf("the good edits alone: %v", refused)
		}
		f := parse(t, faulty{jsonfile.Grammar}, []byte(src.String()))
		out, refused := f.Rewrite(all, nil)
		// A fault may do no harm where it has nothing to harm; then it was done like any other edit.
		for _, r := range refused {
			if !bad[r.Key] || !strings.Contains(r.Reason, "by hand") && !strings.Contains(r.Reason, "cannot do it") {
				t.Fatalf("refused %v (%s) in\n%s", r.Edit, r.Reason, src.String())
			}
			delete(bad, r.Key)
		}
		for _, e := range all {
			if bad[e.Key] {
				good = append(good, e)
			}
		}
		slices.SortFunc(good, func(a, b resource.Edit) int { return slices.Index(all, a) - slices.Index(all, b) })
		if want, _ := parse(t, jsonfile.Grammar, []byte(src.String())).Rewrite(good, nil); !bytes.Equal(out, want) {
			t.Fatalf("%v\n--- before\n%s\n--- got\n%s\n--- want\n%s", all, src.String(), out, want)
		}
	})
}

// One bad edit among very many costs a few attempts, not one for each.
func TestOneBadEditAmongThousands(t *testing.T) {
	var src strings.Builder
	src.WriteString("{\"first\": \"x\"")
	var edits []resource.Edit
	for i := range 5000 {
		fmt.Fprintf(&src, ",\n\"key %d\": \"text\"", i)
		edits = append(edits, resource.Edit{Op: resource.Set, Key: fmt.Sprintf("key %d", i), Text: "zz"})
	}
	src.WriteString(",\n\"one too many#1\": \"text\"}\n")
	edits = slices.Insert(edits, 1234, resource.Edit{Op: resource.Set, Key: "one too many#1", Text: "zz"})
	out, refused := parse(t, faulty{jsonfile.Grammar}, []byte(src.String())).Rewrite(edits, nil)
	if len(refused) != 1 || !refused[0].Unproven || refused[0].Key != "one too many#1" ||
		strings.Count(string(out), `"zz"`) != 5000 {
		t.Fatalf("%d set, refused %v", strings.Count(string(out), `"zz"`), refused)
	}
	if want := `this file is written in a way that does not let it be changed here ("extra" would appear), so it was left as it is; make this change by hand`; refused[0].Reason != want {
		t.Errorf("reason: %s\nwant: %s", refused[0].Reason, want)
	}
}

// Looking up a few entries, or many, by walking or by an index, finds the same.
func TestLookup(t *testing.T) {
	src := []byte(`{"a": {"b": "1", "b/c": "2", "": {"": "3"}}, "a/b": "4", "l": ["5", ["6", {"x": "7"}]], "": {"a": "8"}, "l": {"0": "9"}, "e\u0301": "10", "a": {"b": {"c": "11"}}}`)
	all := parse(t, jsonfile.Grammar, src)
	last, doubles := make(map[string]string), 0
	for e := range all.Entries() {
		if last[e.Key] != "" {
			doubles++
		}
		last[e.Key] = e.Text
	}
	if got := len(all.Duplicates()); got != doubles || doubles == 0 {
		t.Errorf("%d duplicates, want %d", got, doubles)
	}
	for key, want := range last {
		few := parse(t, jsonfile.Grammar, src) // walks; all has an index by now
		for _, f := range []*resource.File{few, all} {
			if e, ok := f.Lookup(key, ""); !ok || e.Text != want || e.Key != key {
				t.Errorf("%q is %+v %v, want %q", key, e, ok, want)
			}
			for _, none := range []string{key + "x", key + "/", "/" + key, key + "/0"} {
				if _, there := last[none]; there {
					continue
				}
				if e, ok := f.Lookup(none, ""); ok {
					t.Errorf("%q is %+v", none, e)
				}
			}
			if e, ok := f.Lookup(key, "one"); ok {
				t.Errorf("%q [one] is %+v", key, e)
			}
		}
	}
}

// A file whose keys would be without measure, though it is small itself, is refused. Deep and long ones are not.
func TestKeysWithoutMeasure(t *testing.T) {
	deep := func(names, name, leaves int) []byte {
		return []byte(strings.Repeat(`{"`+strings.Repeat("n", name)+`":`, names) + "[" + strings.Repeat(`"x",`,
			leaves) + `"y"]` + strings.Repeat("}", names))
	}
	if f := parse(t, jsonfile.Grammar, deep(900, 10<<10, 1)); f.Len() != 903 {
		t.Errorf("%d nodes", f.Len())
	} else {
		for e := range f.Entries() {
			if len(e.Key) != 900*(10<<10+1)+1 {
				t.Errorf("a key of %d bytes", len(e.Key))
			}
		}
	}
	for _, src := range [][]byte{deep(900, 1000, 100_000), deep(1, 60_000, 140_000)} {
		if _, err := resource.Parse(jsonfile.Grammar, nested, src); err == nil || !strings.Contains(err.Error(),
			"too long for so many entries") {
			t.Errorf("%d bytes with endless keys: %v", len(src), err)
		}
		if _, err := resource.Parse(jsonfile.Grammar, resource.Keys{}, src); err != nil {
			t.Errorf("in a flat format: %v", err)
		}
	}
}
