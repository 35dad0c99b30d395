package local

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// The log says of an import what its result says.
func TestImportLog(t *testing.T) {
	core, logged := observer.New(zap.InfoLevel)
	told := make(chan struct{}, 10) // the line follows the result
	s := serve(t, Options{Logger: zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
		if e.Message == "import" {
			told <- struct{}{}
		}
		return nil
	}))})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B"}`})
	s.completed(p, "?language=de", file{"a.json", `{"a":"Ä"}`})
	for range 2 {
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Fatal("an import is not in the log")
		}
	}
	lines := logged.FilterMessage("import").All()
	if len(lines) != 2 || lines[0].ContextMap()["created"] != int64(2) || lines[1].ContextMap()["updated"] != int64(1) {
		t.Errorf("%v", lines)
	}
}
