package local

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// The log says of an import what its result says.
func TestImportLog(t *testing.T) {
	core, logged := observer.New(zap.InfoLevel)
	s := serve(t, Options{Logger: zap.New(core)})
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B"}`})
	s.completed(p, "?language=de", file{"a.json", `{"a":"Ä"}`})
	for deadline := time.Now().Add(time.Minute); logged.FilterMessage("import").Len() < 2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // the line follows the result
	}
	lines := logged.FilterMessage("import").All()
	if len(lines) != 2 || lines[0].ContextMap()["created"] != int64(2) || lines[1].ContextMap()["updated"] != int64(1) {
		t.Errorf("%v", lines)
	}
}
