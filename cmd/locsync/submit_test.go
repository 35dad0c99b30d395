package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// hiddenInput is a value that a form sends along.
var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// browser is that of a script's person; page is the address of the page for translators.
type browser struct {
	client http.Client
	page   string
}

// browserOf is the name of a script's browser.
type browserOf struct{}

func newBrowser() (*browser, error) {
	jar, err := cookiejar.New(nil)
	return &browser{client: http.Client{Jar: jar}}, err
}

// submit PAGE ACTION [NAME=VALUE...] sends a form of the page for translators, as a person does. The first PAGE is a
// file with an invitation, by which the person gets an account.
func submit(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, neg, args, 2, "submit PAGE ACTION [NAME=VALUE...]")
	b := ts.Value(browserOf{}).(*browser)
	address := b.page + args[0]
	if link, err := os.ReadFile(ts.MkAbs(args[0])); err == nil {
		address = strings.TrimSpace(string(link))
		b.page = address[:strings.LastIndex(address, "/")+1]
	}
	answer, err := b.client.Get(address)
	ts.Check(err)
	_, form, found := strings.Cut(read(ts, answer), `action="`+args[1]+`"`)
	if !found {
		ts.Fatalf("%s has no form for %s", address, args[1])
	}
	form, _, _ = strings.Cut(form, "</form>")
	values := url.Values{}
	for _, m := range hiddenInput.FindAllStringSubmatch(form, -1) {
		values.Set(m[1], strings.NewReplacer("&#43;", "+", "&amp;", "&", "&#34;", `"`, "&#39;", "'").Replace(m[2]))
	}
	for _, arg := range args[2:] {
		name, value, _ := strings.Cut(arg, "=")
		values.Set(name, value)
	}
	r, err := http.NewRequest(http.MethodPost, b.page+args[1], strings.NewReader(values.Encode()))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err = b.client.Do(r)
	ts.Check(err)
	if said := read(ts, answer); answer.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s\n%s", args[1], answer.Status, said)
	}
}

func read(ts *testscript.TestScript, answer *http.Response) string {
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	return string(body)
}
