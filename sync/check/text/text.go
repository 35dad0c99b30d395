// Package text reads a text as the program does that loads it, and says what that program finds in it: arguments, tags,
// forms, and the faults for which it would refuse the text. Differences compares what was read of a source and of its
// translation.
//
// Its law: a reader accepts what its program accepts and refuses what that refuses, however odd. Where it is known to
// be otherwise, the test against the program lists it with the reason.
//
// It is pure: texts in, values out. It knows no files, no formats and no languages, and decides nothing about what
// becomes of a translation.
package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
)

// reader is a row of the table: how one kind of program reads, and what it does about a difference.
type reader struct {
	read    func(s string, o Options) Text
	typed   bool   // an argument of another type is refused
	anyType string // but for this one, which goes with all
	widest  string // the type that all others are narrower than
	spare   bool   // an argument that the source does not have is written as it is
	exact   bool   // the number of arguments counts, also in a form for few numbers
	ranked  bool   // arguments count by the highest number, and not each by itself
	kept    bool   // one argument may be left out in a form for few numbers, and not more
	counted bool   // tags count as often as they are there
	valued  bool   // a type says which values the program passes, and to show those of another fails
}

// Known reports whether there is a reader.
func Known(r programs.Reader) bool { _, is := readers[r]; return is }

// Read is what a program finds in a text.
func Read(r programs.Reader, s string, o Options) Text {
	row, is := readers[r]
	if !is {
		return Text{}
	}
	return row.read(s, o)
}

// Difference is one way in which a translation is otherwise than its source.
type Difference struct {
	Lacks, Extra []string // arguments or tags, as spelled
	Tags         bool     // Lacks and Extra are tags
	Fault        string   // in words; "" where Lacks or Extra says it
}

// Pair is a source and its translation, as they were read.
type Pair struct {
	Source, Translation Text
	Passed              []string // names of arguments that the program passes beside the source's
	Few                 bool     // the translation is a form for few numbers: it need not name what it counts
}

// Differences are what the program would refuse, or lose, of a translation whose source it takes.
func Differences(r programs.Reader, p Pair) []Difference {
	row := readers[r]
	if len(p.Source.Faults) > 0 {
		return nil
	}
	if len(p.Translation.Faults) > 0 {
		return []Difference{{Fault: p.Translation.Faults[0]}}
	}
	if d := row.tags(p.Source.Tags, p.Translation.Tags); d != nil {
		return []Difference{*d}
	}
	have, use := p.Source.Arguments, slices.DeleteFunc(slices.Clone(p.Translation.Arguments), func(a Argument) bool {
		is := func(o Argument) bool { return o.Name == a.Name }
		return slices.Contains(p.Passed, a.Name) && !slices.ContainsFunc(p.Source.Arguments, is)
	})
	if row.ranked {
		return row.byRank(have, use, p.Few)
	}
	return row.arguments(have, use, p.Few)
}

// byRank compares by the highest number alone.
func (row reader) byRank(have, use []Argument, few bool) []Difference {
	of, is := rank(have), rank(use)
	if of == is || few && of > is && !row.exact {
		return nil
	}
	d := Difference{Lacks: missing(have, use), Extra: missing(use, have)}
	if len(d.Lacks)+len(d.Extra) == 0 {
		return nil
	}
	return []Difference{d}
}

func rank(all []Argument) (most int) {
	for _, a := range all {
		n := 0
		if _, err := fmt.Sscanf(a.Name, "%d", &n); err == nil {
			most = max(most, n+1)
		}
	}
	return most
}

// arguments compares them by name, and then their types.
func (row reader) arguments(have, use []Argument, few bool) []Difference {
	d := Difference{Lacks: missing(have, use), Extra: missing(use, have)}
	if row.spare {
		d.Extra = nil
	}
	if !slices.ContainsFunc(d.Lacks, isLink) || !slices.ContainsFunc(d.Extra, isLink) {
		d.Lacks, d.Extra = slices.DeleteFunc(d.Lacks, isLink), slices.DeleteFunc(d.Extra, isLink)
	}
	if few && len(d.Extra) == 0 && (!row.exact || named(have)) && (!row.kept || len(d.Lacks) < 2) {
		passed := func(a Argument) bool { return !strings.HasPrefix(a.Name, own) }
		d.Lacks = missing(slices.DeleteFunc(slices.Clone(have), passed), use)
	}
	if len(d.Lacks)+len(d.Extra) > 0 {
		return []Difference{d}
	}
	if row.valued {
		return otherValue(have, use)
	}
	if !row.typed {
		return nil
	}
	for _, a := range use {
		at := slices.IndexFunc(have, func(o Argument) bool { return o.Name == a.Name })
		if at < 0 || have[at].Type == a.Type || row.widest != "" && have[at].Type == row.widest || few && row.anyType != "" &&
			(have[at].Type == row.anyType || a.Type == row.anyType) {
			continue
		}
		return []Difference{{Fault: fmt.Sprintf("%s takes %s, but the program passes %s there, as the source's %s says",
			a.Spelled, typeName(a.Type), typeName(have[at].Type), have[at].Spelled)}}
	}
	return nil
}

// valueOf is what a program passes for an argument of a type: those of messages, and those that Dart declares.
func valueOf(typ string) string {
	switch typ {
	case "":
		return ""
	case "date", "time", "DateTime":
		return "a date"
	case "select", "String":
		return "text"
	case "double":
		return "a number with decimals"
	case "Object", "bool":
		return "an object"
	}
	return "a number"
}

// otherValue looks for an argument that the program is to pass another value for. Of one without a type it passes
// numbers or text.
func otherValue(have, use []Argument) []Difference {
	for _, a := range use {
		is, was := valueOf(a.Type), []string(nil)
		for _, o := range have {
			if o.Name == a.Name && o.Type != "" {
				was = append(was, valueOf(o.Type))
			}
		}
		if is == "" || slices.Contains(was, is) || len(was) == 0 && is != "a date" {
			continue
		}
		return []Difference{{Fault: fmt.Sprintf("%s is taken for %s here, and in the source for %s", a.Spelled, is,
			cmp.Or(strings.Join(was, " and "), "any value"))}}
	}
	return nil
}

// isLink reports whether an argument is another message's text. A translation may write that out, or link to one that
// there is; one link in place of another leads nowhere.
func isLink(spelled string) bool {
	return strings.HasPrefix(spelled, "@:") || strings.HasPrefix(spelled, "$t(")
}

func named(all []Argument) bool { return len(all) > 0 && !isDigit(all[0].Name[0]) }

// missing are the arguments of one text that another does not have, each once.
func missing(of, in []Argument) (all []string) {
	for i, a := range of {
		same := func(o Argument) bool { return o.Name == a.Name }
		if !slices.ContainsFunc(in, same) && !slices.ContainsFunc(of[:i], same) {
			all = append(all, a.Spelled)
		}
	}
	return all
}

// tags compares tags by name; nil where nothing is to be said.
func (row reader) tags(have, use []Tag) *Difference {
	d := Difference{Tags: true, Lacks: row.without(have, use), Extra: row.without(use, have)}
	if len(d.Lacks)+len(d.Extra) == 0 {
		return nil
	}
	return &d
}

func (row reader) without(of, in []Tag) (all []string) {
	left := make(map[string]int, len(in))
	for _, t := range in {
		left[t.Name]++
	}
	for _, t := range of {
		if left[t.Name]--; left[t.Name] < 0 && (row.counted || left[t.Name] == -1 && !hasTag(in, t.Name)) {
			all = append(all, t.Spelled)
		}
	}
	return all
}

func hasTag(all []Tag, name string) bool {
	return slices.ContainsFunc(all, func(t Tag) bool { return t.Name == name })
}
