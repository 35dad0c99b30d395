// Package link is templates of web addresses at the service.
//
// Its law: each value comes out of its part of the address as it went in, and changes no other part. It asks nothing
// of the network.
package link

import (
	"net/url"
	"regexp"
	"strings"
)

// Template is of a key's web address at the service: {PROJECT} is the project's identifier, {LANGUAGE} the
// language as the service spells it, {KEY} the key. Empty: there is none.
type Template string

// linkWord is a placeholder of a template, or a brace without its other one.
var linkWord = regexp.MustCompile(`\{[^{}]*\}|[{}]`)

// Address is the template without query and fragment.
func (t Template) Address() string {
	if end := strings.IndexAny(string(t), "?#"); end >= 0 {
		t = t[:end]
	}
	return string(t)
}

// Unknown is the first placeholder that is none; "" where all are.
func (t Template) Unknown() string {
	for _, word := range linkWord.FindAllString(string(t), -1) {
		if word != "{PROJECT}" && word != "{LANGUAGE}" && word != "{KEY}" {
			return word
		}
	}
	return ""
}

// To is the address of a key in a language; "" without a template. What is filled in is escaped for every part of an
// address, and cannot add to it.
func (t Template) To(project, language, key string) string {
	escaped := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	return strings.NewReplacer("{PROJECT}", escaped(project), "{LANGUAGE}", escaped(language),
		"{KEY}", escaped(key)).Replace(string(t))
}
