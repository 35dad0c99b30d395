package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// input is a value that a form sends along.
var input = regexp.MustCompile(`<input type="(?:hidden" name="([^"]+)" value="([^"]*)"|checkbox" name="([^"]+)" ` +
	`value="([^"]*)" checked)>`)

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
	page := args[0]
	if link, err := os.ReadFile(ts.MkAbs(page)); err == nil {
		page = strings.TrimSpace(string(link))
	}
	ts.Check(b.submit(page, args[1], args[2:]...))
}

// submit sends the form of a page for an action, with some values as the person has them: NAME=VALUE. The first page
// is the link of an invitation.
func (b *browser) submit(page, action string, given ...string) error {
	address := b.page + page
	if strings.Contains(page, "://") {
		address = page
		b.page = page[:strings.LastIndex(page, "/")+1]
	}
	text, err := bodyOf(b.client.Get(address))
	if err != nil {
		return err
	}
	_, form, found := strings.Cut(text, `action="`+action+`"`)
	if !found {
		return fmt.Errorf("%s has no form for %s:\n%s", address, action, text)
	}
	form, _, _ = strings.Cut(form, "</form>")
	values := url.Values{}
	for _, m := range input.FindAllStringSubmatch(form, -1) {
		values.Add(m[1]+m[3], html.UnescapeString(m[2]+m[4]))
	}
	for _, arg := range given {
		name, value, _ := strings.Cut(arg, "=")
		values.Set(name, value)
	}
	r, err := http.NewRequest(http.MethodPost, b.page+action, strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	_, err = bodyOf(b.client.Do(r))
	return err
}

// bodyOf is what an answer has, which is 200.
func bodyOf(answer *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", answer.Request.URL, answer.Status, body)
	}
	return string(body), err
}
