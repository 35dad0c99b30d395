package words

import "strconv"

// done is what is said of many texts: of one, of all that were chosen, of fewer.
type done struct{ name, one, all, fewer string }

var dones = []done{
	{"approved", "1 text is final now.", "%d texts are final now.",
		"%d of %d texts are final now; the others have changed meanwhile."},
	{"rejected", "1 text is rejected now.", "%d texts are rejected now.",
		"%d of %d texts are rejected now; the others have changed meanwhile."},
	{"changed", "1 text is changed now.", "%d texts are changed now.",
		"%d of %d texts are changed now; the others have changed meanwhile."},
	{"drafted", "1 text is a draft now.", "%d texts are drafts now.",
		"%d of %d texts are drafts now; the engine had none for the others, or a check refused it."},
}

// Done says how many texts something was done to, which value knows by the name of what was done.
func (l *Language) Done(value func(name string) string) string {
	of, err := strconv.Atoi(value("of"))
	for _, what := range dones {
		n, nerr := strconv.Atoi(value(what.name))
		switch {
		case err != nil || nerr != nil:
		case n < of:
			return l.Say(what.fewer, n, of)
		case n == 1:
			return l.Text(what.one)
		default:
			return l.Say(what.all, n)
		}
	}
	return ""
}
