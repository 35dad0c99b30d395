package forge

import (
	"strings"
	"unicode/utf8"
)

// Our part of a request's text stands between two comments, which no forge shows. People may write above and below it; without the comments
// the text is theirs alone.
const (
	sectionBegin = "<!-- locsync: what stands up to the next such line is written anew -->"
	sectionEnd   = "<!-- locsync: end -->"
)

// The most that every forge takes: GitHub 65536 characters of text, GitLab and Gitea 255 of a title.
const (
	maxTitle = 250
	maxBody  = 60000
)

func section(body string) string {
	return sectionBegin + "\n" + strings.Trim(body, "\n") + "\n" + sectionEnd
}

// replaceSection puts a new body into our part of a text; ours is false where there is no such part. Line ends, which the forges' own editors
// change, are no difference.
func replaceSection(text, body string) (replaced string, ours bool) {
	begin := strings.Index(text, sectionBegin)
	if begin < 0 {
		return text, false
	}
	length := strings.Index(text[begin:], sectionEnd)
	if length < 0 {
		return text, false
	}
	end := begin + length + len(sectionEnd)
	if strings.ReplaceAll(text[begin:end], "\r\n", "\n") == section(body) {
		return text, true
	}
	return text[:begin] + section(body) + text[end:], true
}

// Fit makes one line of a title and cuts both to what every forge takes; what would end our part of the text early is taken out of it.
func Fit(title, body string) (string, string) {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "<!-- locsync:", "<!-- ")
	return cutShort(strings.Join(strings.Fields(title), " "), maxTitle), strings.Trim(cutShort(body, maxBody), "\n")
}

// cutShort keeps the beginning of a text, in whole characters.
func cutShort(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
