package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// equal compares secrets in a time that tells nothing about them, not even how long they are.
func equal(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// gitHost is how a git host proves that it knows the secret, and says what an event is about.
type gitHost struct {
	basic      bool     // the secret is the password of basic authentication; or
	secret     string   // the header that has the secret itself, unless that is a signing token; or
	signatures []string // the headers that may have the body's HMAC-SHA256 in hexadecimal,
	prefix     string   // behind this
	kinds      []string // the headers that may have the event's kind,
	push       []string // which is one of these for a push
	// the headers that may have the delivery's identifier, which a repetition has too; what is signed comes first
	deliveries []string
}

var gitHosts = map[string]gitHost{
	"github": {signatures: []string{"X-Hub-Signature-256"}, prefix: "sha256=",
		kinds: []string{"X-GitHub-Event"}, push: []string{"push"},
		deliveries: []string{"X-GitHub-Delivery"}},
	"gitlab": {secret: "X-Gitlab-Token", kinds: []string{"X-Gitlab-Event"}, push: []string{"push hook", "system hook"},
		deliveries: []string{standardID, "Idempotency-Key", "X-Gitlab-Event-UUID"}},
	"gitea": {signatures: []string{"X-Gitea-Signature", "X-Forgejo-Signature"},
		kinds: []string{"X-Gitea-Event", "X-Forgejo-Event"}, push: []string{"push"},
		deliveries: []string{"X-Gitea-Delivery", "X-Forgejo-Delivery"}},
	// Cloud sends repo:push and a UUID, Data Center repo:refs_changed and an Id.
	"bitbucket": {signatures: []string{"X-Hub-Signature"}, prefix: "sha256=", kinds: []string{"X-Event-Key"},
		push: []string{"repo:push", "repo:refs_changed"}, deliveries: []string{"X-Request-UUID", "X-Request-Id"}},
	"azure": {basic: true}, // its service hooks sign nothing, and say what an event is about in the body
}

// The Standard Webhooks specification (standardwebhooks.com), which GitLab follows from version 19 where a webhook has
// a signing token: "whsec_" and the key in base64. What is signed is the identifier, the time in seconds and the body,
// with dots between them. GitLab sends the first two headers with every webhook, the signature with signed ones.
const (
	standardID        = "Webhook-Id"
	standardTime      = "Webhook-Timestamp"
	standardSignature = "Webhook-Signature" // one or several, "v1,<base64>", with spaces between them

	standardTolerance = 5 * time.Minute // of the time: what is older may be a recording
)

// signingKey is the key of a signing token. ok is false for a secret that is none.
func signingKey(secret string) (key []byte, ok bool) {
	text, is := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	return key, is && err == nil && len(key) > 0
}

// proof is what a webhook's body is to be checked with. A nil sum means that the headers have proved everything.
type proof struct {
	sum  hash.Hash
	fits func(sum []byte) bool
}

// begin judges the headers; refusal says why they cannot be right whatever the body is.
func (g gitHost) begin(h http.Header, secret string, now time.Time) (p proof, refusal string) {
	if g.basic {
		if _, password, ok := (&http.Request{Header: h}).BasicAuth(); !ok || !equal(password, secret) {
			refusal = "the password of its basic authentication does not fit the secret"
		}
		return p, refusal
	}
	if g.secret == "" {
		return proof{hmac.New(sha256.New, []byte(secret)), func(sum []byte) bool { return g.signed(h, sum) }}, ""
	}
	if key, ok := signingKey(secret); ok {
		return beginStandard(h, key, now)
	}
	if equal(h.Get(g.secret), secret) {
		return p, ""
	}
	refusal = g.secret + " does not fit the secret"
	if h.Get(standardSignature) != "" {
		refusal += "; the event is signed: the secret here has to be the signing token then, whsec_ included"
	}
	return p, refusal
}

func beginStandard(h http.Header, key []byte, now time.Time) (p proof, refusal string) {
	if h.Get(standardSignature) == "" {
		return p, "no " + standardSignature + ": the secret here is a signing token, so the webhook has to have it " +
			"as its signing token, too"
	}
	seconds, err := strconv.ParseInt(h.Get(standardTime), 10, 64)
	if err != nil {
		return p, standardTime + " is not a number of seconds"
	}
	if off := now.Sub(time.Unix(seconds, 0)); off.Abs() > standardTolerance {
		return p, fmt.Sprintf("%s is %s away from the clock of this machine; %s are allowed", standardTime,
			off.Abs().Round(time.Second), standardTolerance)
	}
	sum := hmac.New(sha256.New, key)
	fmt.Fprintf(sum, "%s.%s.", h.Get(standardID), h.Get(standardTime))
	return proof{sum, func(sum []byte) bool {
		return slices.ContainsFunc(strings.Fields(h.Get(standardSignature)), func(signature string) bool {
			text, ok := strings.CutPrefix(signature, "v1,")
			got, err := base64.StdEncoding.DecodeString(text)
			return ok && err == nil && hmac.Equal(got, sum)
		})
	}}, ""
}

// signed compares the signatures that there are with what the body's is.
func (g gitHost) signed(h http.Header, sum []byte) bool {
	return slices.ContainsFunc(g.signatures, func(header string) bool {
		hexed, ok := strings.CutPrefix(h.Get(header), g.prefix)
		got, err := hex.DecodeString(hexed)
		return ok && err == nil && hmac.Equal(got, sum)
	})
}
