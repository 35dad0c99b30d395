package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"
)

// records keeps each write apart.
type records [][]byte

func (r *records) Write(p []byte) (int, error) {
	*r = append(*r, bytes.Clone(p))
	return len(p), nil
}

// The law of the journal: whatever is said, at whatever level, is one write, and every line of it has the level's
// priority and is for the rest what would be there without a journal but for the time.
func TestPriorities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.StringOf(rapid.RuneFrom([]rune("ab <3>\n\r\tä")))
		level := rapid.SampledFrom([]zapcore.Level{zap.DebugLevel, zap.InfoLevel, zap.WarnLevel,
			zap.ErrorLevel}).Draw(t, "level")
		format := rapid.SampledFrom([]string{"console", "json"}).Draw(t, "format")
		said, why := "said "+texts.Draw(t, "said"), texts.Draw(t, "why")
		write := func(journal bool) records {
			var out records
			a := &app{err: &out, logLevel: "debug", logFormat: format, journal: journal}
			log, err := a.logger(zap.InfoLevel)
			if err != nil {
				t.Fatal(err)
			}
			log.With(zap.String("with", "context")).Check(level, said).Write(zap.Error(errors.New(why)))
			a.remark(level, "locsync: %s", why)
			return out
		}
		with, without := write(true), write(false)
		if len(with) != 2 || len(without) != 2 {
			t.Fatalf("%q and %q: not one write for each record", with, without)
		}
		mark := map[zapcore.Level]string{zap.DebugLevel: "<7>", zap.InfoLevel: "<6>", zap.WarnLevel: "<4>",
			zap.ErrorLevel: "<3>"}[level]
		for i := range with {
			var rest strings.Builder
			for line := range strings.Lines(string(with[i])) {
				text, marked := strings.CutPrefix(line, mark)
				if !marked {
					t.Fatalf("%q has no %s in front of %q", with[i], mark, line)
				}
				rest.WriteString(text)
			}
			plain := string(without[i])
			switch {
			case i == 0 && format == "console":
				plain = regexp.MustCompile(`^\S+ [A-Z]+ `).ReplaceAllString(plain, "")
			case i == 0: // the times of the two differ
				when := regexp.MustCompile(`"ts":"[^"]+"`)
				plain = when.ReplaceAllString(plain, "")
				text := when.ReplaceAllString(rest.String(), "")
				rest.Reset()
				rest.WriteString(text)
			}
			if rest.String() != plain {
				t.Fatalf("in the journal\n%q\nelse\n%q", rest.String(), plain)
			}
		}
	})
}
