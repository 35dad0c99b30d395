package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is foreseen is what is watched then, and looking at it watches nothing.
func TestForesee(t *testing.T) {
	s := start(t, []string{"locales/*/*.json"}, []string{"locales/en/a.json", "locales/de/a.json", "other/x/a.json",
		".git/refs/heads/main"}, nil)
	p, err := Foresee(Options{Root: s.root, Patterns: []string{"locales/*/*.json"}, GitDir: s.path(".git")})
	if err != nil || p.Unreliable != "" || p.Most < 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if watched := s.w.Stats().Watches; p.Folders != watched || watched < 5 {
		t.Errorf("%d folders were foreseen, %d are watched", p.Folders, watched)
	}
	if _, err := Foresee(Options{Root: s.root, Patterns: []string{"["}}); err == nil {
		t.Error("a pattern that is none was taken")
	}
}

func TestHear(t *testing.T) {
	dir := t.TempDir()
	if took, err := Hear(t.Context(), dir); err != nil || took <= 0 {
		t.Errorf("%v, %v", took, err)
	}
	if _, err := Hear(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for range 200 { // the event may be there before it is looked whether the time is up
		if _, err := Hear(late, dir); errors.Is(err, context.DeadlineExceeded) {
			return
		}
	}
	t.Error("it waited although its time was up")
}
