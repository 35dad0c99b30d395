package secret

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"text/template"
)

const canary = "hunter2-canary"

// However a secret is printed, logged or encoded, it shows nothing of itself.
func TestShowsNothing(t *testing.T) {
	s := New(canary)
	holder := struct {
		Open   Value
		hidden Value
		deep   *Value
		list   []Value
	}{s, s, &s, []Value{s}}
	var texts []string
	for _, v := range []any{s, &s, holder, &holder, []Value{s}, map[string]Value{"k": s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			texts = append(texts, fmt.Sprintf(verb, v))
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	marshalled, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(marshalled), s.GoString(), s.String())
	var b strings.Builder
	if err := template.Must(template.New("").Parse("{{.}}")).Execute(&b, s); err != nil {
		t.Fatal(err)
	}
	texts = append(texts, b.String(), fmt.Errorf("with %v", s).Error())
	for _, text := range texts {
		if strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) {
			t.Errorf("%q shows it", text)
		}
	}
	if s.Reveal() != canary || fmt.Sprint(s) != "[redacted]" || fmt.Sprint(Value{}) != "" {
		t.Errorf("got %q, %v", s.Reveal(), s)
	}
}

func TestEqual(t *testing.T) {
	s := New(canary)
	if !s.Equal(canary) || s.Equal("") || s.Equal(canary+"x") || (Value{}).Equal("") {
		t.Error("comparison is wrong")
	}
}
