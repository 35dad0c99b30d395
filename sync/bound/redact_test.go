package bound

import (
	"strings"
	"testing"
)

func TestRedactor(t *testing.T) {
	const long = "k-0123456789abcdef"
	redact := Redactor("***", "test", "a+b c", "abc", "", long, "tester")
	for text, want := range map[string]string{
		"test":                      "***",
		"the key test is wrong":     "the key *** is wrong",
		"the latest testing, tests": "the latest testing, tests",
		"testtest test":             "testtest ***",
		"x_test test-y (test)":      "x_test ***-y (***)",
		"tester":                    "***",
		"key%3Atest":                "key%3A***",
		"äteſt testß test":          "äteſt testß ***",
		"a+b c, xa+b c":             "***, xa+b c",
		"abc is too short":          "abc is too short",
		"x" + long + "y " + long:    "x***y ***",
		"":                          "",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("the latest test", "test")
	f.Add("testtest%20testtest", "testtest")
	f.Add("\xff\xffabcd", "\xffab")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := Redactor("", secret)(text)
		if len(secret) < leastSecret && got != text {
			t.Fatalf("%q: %q", text, got)
		}
		if plain := " " + secret + " "; len(secret) >= leastSecret && Redactor("", secret)(plain) != "  " {
			t.Fatalf("%q is shown", secret)
		}
		if len(secret) >= leastSecret && strings.Count(text, secret) == 0 && got != text {
			t.Fatalf("%q without %q: %q", text, secret, got)
		}
	})
}
