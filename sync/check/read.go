package check

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/check/text"
	"github.com/locsync/locsync/sync/text/plural"
)

// kindOf is the check that a reader's findings belong to.
func kindOf(r programs.Reader) string {
	switch r {
	case programs.FormatJS, programs.I18nextICU, programs.MessageICU, programs.Flutter,
		programs.FlutterEscaping:
		return ICU
	case programs.Inline, programs.Angular:
		return Markup
	case programs.PythonBrace, programs.PerlBrace, programs.CSharp, programs.JavaMessage, programs.Shell:
		return Names
	}
	if r.Gettext() {
		return Printf
	}
	return Names
}

// Source is what the program that reads a source text would refuse, and in which check; "" where nothing is known of
// it. A text that only its flag, its braces or its file's format say to be of a program is taken for a plain one.
func Source(p programs.Programs, s, flags string, isForm bool) (kind, fault string) {
	r := p.Reader
	if p.Positions && !isForm && !strings.Contains(flags, programs.Unchecked) {
		return Printf, text.Substitutions(s)
	}
	if !text.Known(r) || p.ByFormat || r.Gettext() || r == programs.MessageFormat || r == programs.Composite {
		return "", ""
	}
	o := text.Options{}
	if r == programs.Extension {
		defined, _ := programs.Value(flags, programs.Defined)
		o.Names = append([]string{}, strings.Fields(defined)...)
	}
	if faults := text.Read(r, s, o).Faults; len(faults) > 0 {
		return kindOf(r), faults[0]
	}
	return "", ""
}

// read compares source and translation as their program reads them. False says that nothing names the program, or that
// the source itself cannot be read so: then the source is all that is known.
func (p *pair) read() bool {
	r := p.in.Programs.Reader
	if !text.Known(r) {
		return false
	}
	from := p.source
	if r.Gettext() && len(p.in.Forms) > 0 {
		from = p.in.Forms[len(p.in.Forms)-1] // of all forms that for many, as msgfmt does
	}
	o, ofSource := text.Options{}, text.Options{}
	if defined, is := programs.Value(p.in.Flags, programs.Defined); is || p.in.OwnFlags {
		o.Names = append([]string{}, strings.Fields(defined)...)
	}
	if !p.in.OwnFlags {
		ofSource = o
	}
	source := text.Read(r, from, ofSource)
	p.declared(source.Arguments)
	switch {
	case len(source.Faults) > 0:
		return r.Gettext() || r == programs.Extension
	case r.HasElements():
		p.differ(r, source, text.Read(r, p.text, o))
		p.source, p.text = text.Outside(p.source), text.Outside(p.text)
		if r == programs.Angular { // it fills in nothing but elements
			p.icu()
		}
		return r == programs.Angular
	case (r == programs.MessageFormat || r == programs.Composite) && len(source.Arguments) == 0:
		return false
	}
	if r == programs.Extension && o.Names == nil {
		o.Names = []string{} // that the entry defines more is not known
		for _, a := range source.Arguments {
			if strings.HasSuffix(a.Spelled, "$") {
				o.Names = append(o.Names, a.Name)
			}
		}
	}
	if r == programs.Laravel {
		o.Names = namesOf(source)
	}
	translation := text.Read(r, p.text, o)
	p.differ(r, source, translation)
	switch {
	case len(p.findings) > 0:
	case translation.Unshown != "" && source.Unshown == "":
		p.warned(Names, "the sign that %q begins with is not shown, nor is what follows it; write $$ for a dollar",
			translation.Unshown)
	case kindOf(r) == ICU:
		p.icu() // what is in which branch
	case r == programs.MessageFormat:
		p.apostrophes()
	}
	return true
}

// declared gives arguments without a type the one that their entry declares.
func (p *pair) declared(arguments []text.Argument) {
	types, _ := programs.Value(p.in.Flags, programs.Types)
	for _, of := range strings.Fields(types) {
		name, typ, _ := strings.Cut(of, ":")
		for i, a := range arguments {
			if a.Name == name && a.Type == "" {
				arguments[i].Type = typ
			}
		}
	}
}

func namesOf(t text.Text) []string {
	names := []string{}
	for _, a := range t.Arguments {
		names = append(names, a.Name)
	}
	return names
}

// differ reports what two texts differ in.
func (p *pair) differ(r programs.Reader, source, translation text.Text) {
	kind := kindOf(r)
	both := text.Pair{Source: source, Translation: translation, Passed: p.passed(r)}
	if r == programs.VueI18n && source.Forms > 0 && translation.Forms > 0 {
		both = withNumber(both)
	}
	for _, d := range text.Differences(r, both) {
		if d.Tags && kind == ICU {
			d.Lacks = slices.DeleteFunc(d.Lacks, func(tag string) bool { // unless an apostrophe quotes it
				return isStyling(tag) && !strings.Contains(p.text, tag)
			})
		}
		switch {
		case d.Fault == "" && len(d.Lacks)+len(d.Extra) == 0:
		case d.Fault != "":
			p.refused(kind, d.Fault)
		case len(d.Extra) == 0 && len(d.Lacks) == 1 && p.number.form && !d.Tags:
			p.leavesOut(r, both, d)
		case len(d.Extra) == 0 && p.number.isZero:
		case len(d.Lacks) == 0 && len(d.Extra) == 1 && p.number.mayAdd && !r.Gettext():
		case kind == Printf && len(d.Lacks) == 0:
			p.passesNothing(kind, d.Extra)
		case p.quoted(kind, d.Lacks):
			p.found(kind, "it shows %s as it is written, and not what the program passes: a single apostrophe "+
				"quotes what follows; write two for one", List(d.Lacks))
		default:
			p.differs(false, kind, d.Lacks, d.Extra)
		}
	}
}

// passed are the arguments that the program passes to a form beside those of its source: what other forms fill in, and
// the number that i18next chooses by.
func (p *pair) passed(r programs.Reader) (names []string) {
	if r.Gettext() {
		return nil
	}
	for _, form := range p.in.Forms {
		names = append(names, namesOf(text.Read(r, form, text.Options{}))...)
	}
	if r == programs.I18next && plural.IsCategory(p.in.Form) {
		names = append(names, "count")
	}
	return names
}

// withNumber gives the number of vue-i18n's forms one name: the program passes it as n and as count.
func withNumber(both text.Pair) text.Pair {
	for _, t := range []*text.Text{&both.Source, &both.Translation} {
		t.Arguments = slices.Clone(t.Arguments)
		for i, a := range t.Arguments {
			if a.Name == "count" {
				t.Arguments[i].Name = "n"
			}
		}
	}
	both.Passed = append(both.Passed, "n")
	return both
}

// quoted reports whether what a translation lacks is in it, behind an apostrophe that quotes.
func (p *pair) quoted(kind string, lacks []string) bool {
	r := p.in.Programs.Reader
	if kind != ICU && r != programs.MessageFormat && r != programs.JavaMessage || !strings.Contains(p.text, "'") {
		return false
	}
	return len(lacks) > 0 && !slices.ContainsFunc(lacks, func(a string) bool { return !strings.Contains(p.text, a) })
}

// leavesOut deals with a form of a plural that does not name the number, or one other thing.
func (p *pair) leavesOut(r programs.Reader, both text.Pair, d text.Difference) {
	few := p.number.mayDrop || p.number.isZero
	both.Few = true
	switch {
	case few && len(text.Differences(r, both)) == 0:
	case few || r.Gettext():
		p.differs(false, kindOf(r), d.Lacks, nil)
	default:
		p.warned(kindOf(r), "it leaves out the number %s, which the source has", d.Lacks[0])
	}
}
