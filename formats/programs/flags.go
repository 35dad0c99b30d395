package programs

import "strings"

// Flagged is what programs do with a text that gettext's flags are about: which format function it goes through
// ("c-format"), or that it goes through none ("no-c-format").
func (p Programs) Flagged(flags string) Programs {
	function, plain := "", false
	for flag := range strings.SplitSeq(flags, ",") {
		name, is := strings.CutSuffix(strings.TrimSpace(flag), "-format")
		switch {
		case !is:
		case strings.HasPrefix(name, "no-"):
			plain = true
		default:
			function = name
		}
	}
	reader := Reader(function)
	switch {
	case reader.Gettext():
		p.Reader, p.Because = reader, "the flag "+function+"-format"
	case function == "" && plain:
		p.Printf = None
	case function != "":
		p.Printf, p.Named = None, true
	}
	return p
}

// Other flags than gettext's say what a grammar found beside a text, each as NAME=VALUE.
const (
	Types     = "types="        // NAME:TYPE of the arguments that an entry of Flutter declares, with blanks between
	Defined   = "placeholders=" // names that the entry of a browser extension defines, with blanks between
	Unchecked = "formatted=false"
	MaxLength = "max-length=" // how many characters a text may have
)

// Value is what a flag says; false where it is not there.
func Value(flags, name string) (string, bool) {
	for flag := range strings.SplitSeq(flags, ",") {
		if value, is := strings.CutPrefix(strings.TrimSpace(flag), name); is {
			return value, true
		}
	}
	return "", false
}
