package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// What one notification, one webhook and one scrape cost. The floor is an answer that does nothing.
func BenchmarkOutside(b *testing.B) {
	s, _ := newServer(b)
	s.WebhookSecret, s.Callback.Name, s.Callback.Value, s.Meter = hookSecret, "X-Bell", "dingdong", NewMeter()
	s.Engine.Status(b.Context())
	handler := New(*s)
	push := strings.ReplaceAll(githubPush, "BRANCH", "main")
	push = strings.TrimSuffix(push, "}") + `,"more":"` + strings.Repeat("x", 20<<10) + `"}`
	mac := hmac.New(sha256.New, []byte(hookSecret))
	_, _ = io.WriteString(mac, push)
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, c := range []struct {
		name, method, path, body, header, value string
		want                                    int
	}{
		{"floor", "GET", "/healthz", "", "X", "y", 200},
		{"notification", "POST", "/callback/project/status", `["` + runningProject + `"]`, "X-Bell", "dingdong", 200},
		{"forged notification", "POST", "/callback/project/status", `["` + runningProject + `"]`, "X-Bell", "guess",
			403},
		{"webhook of 20 KB", "POST", "/webhook/github", push, "X-Hub-Signature-256", signature, 202},
		{"scrape", "GET", "/metrics", "", "X", "y", 200},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
				r.Header.Set(c.header, c.value)
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, r)
				if answer.Code != c.want {
					b.Fatal(answer.Code, answer.Body)
				}
			}
		})
	}
}
