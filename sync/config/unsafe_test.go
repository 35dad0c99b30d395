package config

import (
	"strings"
	"testing"
)

// What is run or obeyed is not written to, in whatever letters it is spelled and wherever it is.
func TestFilesThatToolsRun(t *testing.T) {
	for name := range obeyed {
		for _, spelled := range []string{name, strings.ToUpper(name), name + ".", name + " ", name + "::$DATA", "\u200c" + name} {
			for _, path := range []string{spelled, "a/" + spelled, spelled + "/de.json"} {
				if UnsafePath(path) == "" || UnsafeLabel(path) == "" {
					t.Errorf("%q may be written to", path)
				}
			}
		}
	}
}
