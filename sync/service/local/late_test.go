package local

import (
	"sync/atomic"
	"testing"
	"time"
)

// What an import changes is shown by exports only after a while, each text as it was before; the import says at once
// that it is completed.
func TestExportsOfALateService(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := serve(t, Options{Late: 20 * time.Second, Now: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}})
	p := s.create("en", "de")
	shows := func(language, want string) {
		t.Helper()
		sameJSON(t, s.one(p, "?skip-incomplete-keys&languages="+language), want)
	}
	s.completed(p, "?language=en", file{"a.json", `{"a":"A"}`})
	shows("en", `{}`)
	ahead.Add(int64(time.Minute))
	shows("en", `{"a":"A"}`)
	s.completed(p, "?language=de&completion-state=final", file{"a.json", `{"a":"1"}`})
	shows("de", `{}`)
	ahead.Add(int64(15 * time.Second))
	s.completed(p, "?language=de&completion-state=final&overwrite-conflicting-values=true", file{"a.json", `{"a":"2"}`})
	s.completed(p, "?language=en", file{"a.json", `{"b":"B"}`})
	shows("de", `{}`)
	ahead.Add(int64(10 * time.Second))
	shows("de", `{"a":"1"}`)
	shows("en", `{"a":"A"}`)
	ahead.Add(int64(15 * time.Second))
	shows("de", `{"a":"2"}`)
	shows("en", `{"a":"A","b":"B"}`)
}
