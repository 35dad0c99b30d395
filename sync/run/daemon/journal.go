package daemon

import (
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Where standard error is a stream to systemd's journal, every line of it begins with its priority in angle brackets
// (sd-daemon(3)): the journal takes what has none for information, so that `journalctl -p warning` would find nothing.
// It takes each line for a message of its own, and has the time already.

// ToJournal reports whether standard error is such a stream. On error it reports false.
func ToJournal() bool {
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

// Marked is a text with the priority of a level in front of every line.
func Marked(level zapcore.Level, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(priority(level) + line)
	}
	return b.String()
}

// JournalCore writes records of a level and above to the journal, each with its priority, in one piece.
func JournalCore(encoder zapcore.Encoder, to zapcore.WriteSyncer, least zapcore.Level) zapcore.Core {
	var cores []zapcore.Core
	for level := zapcore.DebugLevel; level <= zapcore.FatalLevel; level++ {
		only := zap.LevelEnablerFunc(func(of zapcore.Level) bool { return of == level && of >= least })
		cores = append(cores, zapcore.NewCore(encoder, prioritized{to, level}, only))
	}
	return zapcore.NewTee(cores...)
}

// prioritized writes what is of one level.
type prioritized struct {
	to    zapcore.WriteSyncer
	level zapcore.Level
}

func (p prioritized) Write(b []byte) (int, error) {
	if _, err := p.to.Write([]byte(Marked(p.level, string(b)))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p prioritized) Sync() error { return p.to.Sync() }
