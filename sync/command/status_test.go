package command

import (
	"testing"
	"time"
)

// A daemon of one project is not waited for for long, and one of thousands for longer than its answer takes: a command
// that looks for itself opens every repository.
func TestPatience(t *testing.T) {
	if of := patienceFor(1); of > 4*time.Second {
		t.Errorf("a daemon of one project may take %v", of)
	}
	if of := patienceFor(5000); of < 20*time.Second {
		t.Errorf("a daemon of 5,000 projects may take %v", of)
	}
}
