package report

import (
	"testing"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":                "plain\ttext\n",
		"Grüße, 世界 👍🏽":                 "Grüße, 世界 👍🏽",
		"\x1b]0;title\x07red\x1b[31m":  `\u001b]0;title\u0007red\u001b[31m`,
		"over\rwritten\x7f":            `over\u000dwritten\u007f`,
		"c1\u009b31m":                  `c1\u009b31m`,
		"abc\u202etxt.exe\u2066":       `abc\u202etxt.exe\u2066`,
		"not \xff text \xe4\xb8":       `not \xff text \xe4\xb8`,
		"the letter \uFFFD is written": "the letter \uFFFD is written",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
