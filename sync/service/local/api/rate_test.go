package api

import (
	"testing"
	"time"
)

func TestRateBelowOne(t *testing.T) {
	w := newWindow(0.5)
	at := time.Unix(0, 0)
	if w.take(at) != 0 || w.take(at.Add(1500*time.Millisecond)) != 500*time.Millisecond ||
		w.take(at.Add(2*time.Second)) != 0 {
		t.Error("one call in two seconds")
	}
	free := newWindow(0)
	for range 1000 {
		if free.take(at) != 0 {
			t.Fatal("0 is no limit")
		}
	}
}
