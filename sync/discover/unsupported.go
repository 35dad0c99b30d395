package discover

import (
	"path"
	"strings"
)

// noGrammar are kinds of resource files that the service has no format for, by extension, and what to do about it.
var noGrammar = map[string]string{
	".arb":         "is Flutter's ARB, which is none of the service's formats; keep the texts in JSON, as slang and easy_localization read them, or turn ARB into JSON before a push",
	".xcstrings":   "is a string catalog, one file for all languages, which is none of the service's formats; keep the texts in .strings files (xcrun xcstringstool compile makes them of a catalog)",
	".stringsdict": "holds plural forms in a format that the service has not; the .strings file beside it is taken, this one stays as it is",
	".po":          "is gettext's, which is none of the service's formats; keep the texts in JSON or YAML, or turn it into one before a push",
	".pot":         "is gettext's, which is none of the service's formats; keep the texts in JSON or YAML, or turn it into one before a push",
	".xlf":         "is XLIFF, which is none of the service's formats for resource files; let the program write JSON (Angular: extract-i18n --format json), or send it with locsync documents push",
	".xliff":       "is XLIFF, which is none of the service's formats for resource files; let the program write JSON (Angular: extract-i18n --format json), or send it with locsync documents push",
	".resx":        "is .NET's, which is none of the service's formats; keep the texts in JSON, or turn it into JSON before a push",
	".ftl":         "is Fluent, which is none of the service's formats; keep the texts in JSON or YAML",
}

func hasNoGrammar(name string) bool { return noGrammar[strings.ToLower(path.Ext(name))] != "" }

// noteUnreadable gathers files of such a kind by the way that they are named.
func (s *search) noteUnreadable(name string) {
	if standingOf(name) != own {
		return
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		folder, lproj := strings.CutSuffix(part, ".lproj")
		_, is := codeOf(folder)
		switch {
		case i < len(parts)-1 && lproj:
			parts[i] = "{LANGUAGE}.lproj"
		case i < len(parts)-1 && is:
			parts[i] = "{LANGUAGE}"
		case i == len(parts)-1:
			ext := path.Ext(part)
			spotInName(strings.TrimSuffix(part, ext), ext, func(placeholder, _ string) { parts[i] = placeholder })
		}
	}
	pattern := strings.Join(parts, "/")
	if s.unreadable[pattern] == nil {
		s.unreadable[pattern] = &LeftOut{Path: pattern, Reason: noGrammar[strings.ToLower(path.Ext(name))]}
	}
	s.unreadable[pattern].Files++
}

func (s *search) unsupported() []LeftOut {
	var all []LeftOut
	for _, pattern := range sortedKeys(s.unreadable) {
		all = append(all, *s.unreadable[pattern])
	}
	return all
}
