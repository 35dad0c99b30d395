package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"
)

// Where standard error is a stream to systemd's journal, every line of it begins with its priority in angle brackets
// (sd-daemon(3)): the journal takes what has none for information, so that `journalctl -p warning` would find nothing.
// It takes each line for a message of its own, and has the time already.

// toJournal reports whether standard error is such a stream. What cannot be told is none.
func toJournal() bool {
	is, err := journal.StderrIsJournalStream()
	return err == nil && is
}

// priority is a level as syslog counts them.
func priority(level zapcore.Level) string {
	switch {
	case level >= zapcore.ErrorLevel:
		return "<3>"
	case level == zapcore.WarnLevel:
		return "<4>"
	case level == zapcore.InfoLevel:
		return "<6>"
	}
	return "<7>"
}

// prioritized writes each record with its priority in front of every line.
type prioritized struct{ zapcore.Encoder }

func (p prioritized) Clone() zapcore.Encoder { return prioritized{p.Encoder.Clone()} }

func (p prioritized) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	encoded, err := p.Encoder.EncodeEntry(entry, fields)
	if err != nil {
		return nil, err
	}
	mark, lines := priority(entry.Level), bytes.Clone(encoded.Bytes())
	encoded.Reset()
	for line := range bytes.Lines(lines) {
		encoded.AppendString(mark)
		_, _ = encoded.Write(line) // it has no error to return
	}
	return encoded, nil
}

// remark writes what the program says on standard error beside its log, in one piece.
func (a *app) remark(level zapcore.Level, format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	if a.errorScreen().Remark(level, text) {
		return
	}
	if a.journal {
		mark := priority(level)
		text = mark + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+mark) + "\n"
	}
	fmt.Fprint(a.err, text)
}
