// Package answers says what a plain yes, no, on or off is in a YAML file: a boolean to readers of YAML 1.1, and a
// string to those of 1.2 (https://yaml.org/spec/1.2.2/ext/changes/).
//
// Its law: in a file for YAML 1.1 none of them is a text, and in others those that people write as words are: with a
// capital. What is in small letters may be a setting. Each of those with a text beside it is told.
package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Are reports one of the words.
func Are(s string) bool {
	return len(s) <= 3 && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(s))
}

// directive is that of a file which says that it is for readers of the older version.
var directive = regexp.MustCompile(`(?m)^%YAML[ \t]+1\.1`)

// languageRoot is a name that a Rails root may have.
var languageRoot = regexp.MustCompile(`^["']?[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*["']?$`)

// isOlder reports whether the programs that read a file read YAML 1.1, as far as it can be told: Ruby does, whose files
// have the language as their root.
func isOlder(src string, nodes []resource.Node) bool {
	top := &nodes[1]
	return directive.MatchString(src) ||
		top.End == nodes[0].End && top.Kind == resource.Map && languageRoot.MatchString(top.Name.Of(src))
}

// Settle makes texts of those nodes that are, and warns of each other one that has a text beside it: it is most likely
// meant as one.
func Settle(src string, nodes []resource.Node, at []int) (warnings []resource.Warning) {
	if len(at) == 0 {
		return nil
	}
	older, taken := isOlder(src, nodes), make(map[int32]bool)
	at = slices.DeleteFunc(at, func(n int) bool {
		word := nodes[n].Value.Of(src)
		if older || word == strings.ToLower(word) {
			return false
		}
		nodes[n].Kind, taken[int32(n)] = resource.Text, true
		return true
	})
	for i := range nodes { // aliases of texts
		if len(taken) > 0 && nodes[i].Ref > 0 && taken[nodes[i].Ref] {
			nodes[i].Kind = resource.Text
		}
	}
	beside := make(map[int32]bool)
	for _, n := range at {
		up := nodes[n].Parent
		text, known := beside[up]
		if !known {
			for c := up + 1; c < nodes[up].End && !text; c = nodes[c].End {
				text = nodes[c].Kind == resource.Text
			}
			beside[up] = text
		}
		if text {
			warnings = append(warnings, resource.Warning{Node: n, Msg: "plain " + nodes[n].Value.Of(src) +
				" is a boolean to YAML 1.1 readers, so it is not sent; put it in quotes where it is a text"})
		}
	}
	return warnings
}
