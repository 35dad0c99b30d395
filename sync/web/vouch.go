package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// A daemon that was killed leaves the file with its address behind, and the next program of this machine with that port
// hears what commands ask. So neither side shows the token of the file: the asking one proves that it has it, for a
// word that is new each time, and the answering one does, too, before anything that it says is believed.
const (
	wordHeader  = "X-Locsync-Word"
	proofHeader = "X-Locsync-Proof"
)

// vouch is what only who has the token can say about a word. side is who says it, so that neither can give back what it
// heard.
func vouch(token, side, word string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(side + " " + word)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// introduce puts into a request that its sender has the token.
func introduce(r *http.Request, token string) {
	word := rand.Text()
	r.Header.Set(wordHeader, word)
	r.Header.Set(proofHeader, vouch(token, "asks", word))
}

// introduced reports whether a request's sender has the token, and proves to it that this daemon has it.
func introduced(w http.ResponseWriter, r *http.Request, token string) bool {
	word := r.Header.Get(wordHeader)
	if !hmac.Equal([]byte(r.Header.Get(proofHeader)), []byte(vouch(token, "asks", word))) {
		return false
	}
	w.Header().Set(proofHeader, vouch(token, "answers", word))
	return true
}

// vouched reports whether an answer's sender has the token that the request was introduced with.
func vouched(answer *http.Response, r *http.Request, token string) bool {
	return hmac.Equal([]byte(answer.Header.Get(proofHeader)), []byte(vouch(token, "answers", r.Header.Get(wordHeader))))
}
