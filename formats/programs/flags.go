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
	switch function {
	case "":
		if plain {
			p.Printf = None
		}
	case "c", "gcc-internal", "gfc-internal":
		p.Printf, p.Named = Typed, false
	case "objc":
		p.Printf, p.Named = Apple, false
	case "java-printf":
		p.Printf, p.Named = Java, false
	case "java":
		p.Printf, p.Named, p.MessageFormat = None, true, true
	case "python-brace", "perl-brace", "csharp", "rust", "c++":
		p.Printf, p.Named = None, true
	}
	return p
}
