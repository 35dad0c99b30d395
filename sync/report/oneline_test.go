package report

import "testing"

// A name with line ends forges no line.
func TestProblemsAreOneLine(t *testing.T) {
	p := Problem{File: "a\nlocsync: all is well.json", Problem: "is odd:\r\u2028x", Remedy: "rename\nit"}
	const want = `a\nlocsync: all is well.json: is odd:\r\u2028x; rename\nit`
	if got := p.String(); got != want {
		t.Errorf("%q", got)
	}
	const bracketed = `a\nlocsync: all is well.json: is odd:\r\u2028x (rename\nit)`
	if got := p.Bracketed(); got != bracketed {
		t.Errorf("%q", got)
	}
}
