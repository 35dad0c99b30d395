package words

import "net/http"

// answer is one in a language.
type answer struct {
	http.ResponseWriter
	language *Language
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Answer has an answer be in the language that a person has chosen, or else the browser.
func Answer(w http.ResponseWriter, r *http.Request, chosen string) http.ResponseWriter {
	return &answer{w, Choose(chosen, r.Header.Get("Accept-Language"))}
}

// Of is the language of an answer.
func Of(w http.ResponseWriter) *Language {
	if a, is := w.(*answer); is {
		return a.language
	}
	return Choose("", "")
}
