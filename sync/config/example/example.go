// Package example reads the comments of a commented configuration: what it says of each table and key.
//
// Its law: a comment is about the key or table below it, and about those that follow without a comment of their own. It
// reads lines alone, and knows no key.
package example

import (
	_ "embed"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is config.example.toml, of which go:embed needs a copy beside it.
//
//go:embed config.example.toml
var Text string

var (
	table = regexp.MustCompile(`^(?:# )?\[\[?([a-z_.]+)\]\]?$`)
	key   = regexp.MustCompile(`^(?:# )?([a-z_]+) = (.*)$`)
)

// Comments are the comments of a text by dotted paths: project.push.source.
func Comments(text string) map[string]string {
	all := make(map[string]string)
	var block []string
	within, before, long := "", "", false
	say := func(path string) {
		said := strings.Join(block, " ")
		switch first, _ := utf8.DecodeRuneInString(said); {
		case said == "":
			said = before
		case unicode.IsLower(first) && strings.HasSuffix(before, ","): // it goes on
			said = before + " " + said
		}
		all[path], before, block = said, said, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		header, pair := table.FindStringSubmatch(line), key.FindStringSubmatch(line)
		switch {
		case long: // a text over several lines
			long = !strings.Contains(line, `"""`)
		case header != nil:
			within = header[1]
			say(within)
			before = ""
		case pair != nil:
			say(strings.TrimPrefix(within+"."+pair[1], "."))
			long = pair[2] == `"""`
		case strings.HasPrefix(line, "#"):
			block = append(block, strings.TrimSpace(line[1:]))
		case line == "":
			block, before = nil, ""
		}
	}
	return all
}
