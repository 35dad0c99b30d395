package position

import "testing"

func TestNeedsQuotes(t *testing.T) {
	for line, want := range map[string]string{
		`url = embedded`:                   `a text needs quotes: url = "embedded"`,
		`	url=https://a.example/x  # ours`: `a text needs quotes: url = "https://a.example/x"`,
		`url = "embedded" more`:            "",
		`port = 7430x`:                     "",
		`languages = [de, fr]`:             "",
		`# url = embedded`:                 "",
	} {
		if got := NeedsQuotes([]byte("[service]\n"+line+"\n"), 2); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if got := NeedsQuotes(nil, 3); got != "" {
		t.Errorf("of no line: %q", got)
	}
}
