package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// anImport is one that could be sent.
func anImport() ImportRequest {
	return ImportRequest{Project: "p", Language: "en", Format: "json",
		Files: []Upload{{"a.json", []byte(`{"a": "A"}`)}}}
}

// Work whose import a service does not take is made again, more and more seldom, and given up within three minutes,
// also where the breaker opens meanwhile or the service asks for a longer wait.
func TestRecoveryEnds(t *testing.T) {
	for _, after := range []string{"", "2", "300"} {
		t.Run("after "+after, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				answer := func(r *http.Request) (*http.Response, error) {
					requests++
					answer, err := unavailable(r)
					answer.Header.Set("Retry-After", after)
					return answer, err
				}
				at := fmt.Sprintf("http://recovery%s-%d.example", after, hosts.Add(1))
				c, err := New(Options{BaseURL: at, Transport: answering(answer)})
				if err != nil {
					t.Fatal(err)
				}
				var h heard
				ctx, start := h.watch(t.Context()), time.Now()
				again := NewRecovery(c)
				for _, err = c.Strings().StartImport(ctx, anImport()); again.Worth(ctx, err); {
					_, err = c.Strings().StartImport(ctx, anImport())
				}
				again.End()
				took := time.Since(start)
				if took > c.limits.giveUp || !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "503") {
					t.Errorf("given up after %v: %v", took, err)
				}
				least, most := 6, 20
				if after == "300" {
					least, most = 1, 1
				}
				if requests < least || requests > most || most > 1 && took < time.Minute {
					t.Errorf("%d requests in %v", requests, took)
				}
				if len(h.open) > 0 {
					t.Errorf("%d waits are open", len(h.open))
				}
			})
		})
	}
}

// Work of several calls is given up when its caller's patience ends: what is sent again, and a job that is looked at.
func TestPatienceOfWork(t *testing.T) {
	for _, o := range []Options{{Patience: 20 * time.Second}, {Patience: 10 * time.Minute}, {GiveUp: 4 * time.Second}} {
		for work, do := range map[string]func(*testing.T, *Client) error{
			"sent again": func(t *testing.T, c *Client) (err error) {
				again := NewRecovery(c)
				defer again.End()
				for _, err = c.Strings().StartImport(t.Context(), anImport()); again.Worth(t.Context(), err); {
					_, err = c.Strings().StartImport(t.Context(), anImport())
				}
				return err
			},
			"looked at": func(t *testing.T, c *Client) error {
				return c.Wait(t.Context(), func(ctx context.Context) (bool, error) {
					_, err := c.Projects().Read(ctx, "p")
					return err == nil, err
				})
			},
		} {
			t.Run(fmt.Sprint(work, o.Patience, o.GiveUp), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o.BaseURL, o.Transport = fmt.Sprintf("http://work%d.example", hosts.Add(1)), answering(answers(503, ""))
					c, err := New(o)
					if err != nil {
						t.Fatal(err)
					}
					most, start := max(o.Patience, o.GiveUp), time.Now()
					err = do(t, c)
					took := time.Since(start)
					if !errors.Is(err, ErrTemporary) || took < most/4 || took > most+10*time.Second {
						t.Errorf("given up after %v: %v", took, err)
					}
				})
			})
		}
	}
}

// What was refused, what was not sent and what ended by an interrupt is not made again.
func TestRecoveryOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := http.StatusBadRequest
		c, err := New(Options{BaseURL: address(t), Transport: answering(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")),
				Request: r}, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		for _, status = range []int{400, 401, 404, 429, 501} {
			if _, err := c.Strings().StartImport(t.Context(), anImport()); NewRecovery(c).Worth(t.Context(), err) {
				t.Errorf("made again after %v", err)
			}
		}
		if NewRecovery(c).Worth(t.Context(), nil) {
			t.Error("made again after success")
		}
	})
}
