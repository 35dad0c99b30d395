package bundle

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
)

// A file with all languages is kept once, also where versions of it are read in turn, and not longer than its texts.
func TestContentsAreShared(t *testing.T) {
	b := &Bundle{content: new(atomic.Pointer[contents])}
	version := func(n int) []byte { return []byte(strings.Repeat(fmt.Sprint("version ", n, " "), 1000)) }
	first := make(map[int][]byte)
	for range 3 {
		for n := range 3 {
			read := onceRead(b, version(n))
			if first[n] == nil {
				first[n] = read
			}
			if string(read) != string(version(n)) || unsafe.SliceData(read) != unsafe.SliceData(first[n]) {
				t.Fatalf("version %d is kept twice", n)
			}
		}
	}
	runtime.KeepAlive(first)
	clear(first)
	runtime.GC()
	runtime.GC()
	for i, c := range *b.content.Load() {
		if c.first.Value() != nil {
			t.Errorf("content %d is kept though no text of it is", i)
		}
	}
}
