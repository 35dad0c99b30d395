package service

import (
	"errors"
	"io"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/locsync/locsync/sync/bound/fault"
)

// faulty is a content that ends in a fault, on the goroutine that sends it.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("it cannot be read") }

// TestFaultInARequest: a fault while a body is sent is the error of that call, with its stack in the log, and the next
// call is made.
func TestFaultInARequest(t *testing.T) {
	core, logs := observer.New(zapcore.ErrorLevel)
	defer zap.ReplaceGlobals(zap.New(core))()
	c := serve(t, say(200, `"3f0c1b52-6f0e-4d8a-9a55-0a1b2c3d4e5f"`)).Client(t)
	send := func(content io.Reader) error {
		form, err := NewForm(FilePart("file", &File{Name: "a.json", Size: 2, Content: content}))
		if err != nil {
			t.Fatal(err)
		}
		return c.Do(t.Context(), Call{Op: "import", Method: "POST", Path: "/x", Form: form})
	}
	err := send(faulty{})
	if _, is := errors.AsType[*fault.Error](err); !is {
		t.Errorf("%v, want a fault", err)
	}
	if n := logs.FilterMessage("a fault of locsync itself").Len(); n != 1 {
		t.Errorf("%d stacks in the log, want one", n)
	}
	if err := send(&zeros{2}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}
