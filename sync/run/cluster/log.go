package cluster

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// handler writes the queue's log into the process's. A level lower: what fails in the queue is tried again, and what
// matters is said by this package.
type handler struct{ log *zap.Logger }

func (h *handler) level(l slog.Level) zapcore.Level {
	if l >= slog.LevelWarn {
		return zapcore.InfoLevel
	}
	return zapcore.DebugLevel
}

// Enabled is slog.Handler's.
func (h *handler) Enabled(_ context.Context, l slog.Level) bool {
	return h.log.Core().Enabled(h.level(l))
}

// Handle is slog.Handler's.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var fields []zap.Field
	r.Attrs(func(a slog.Attr) bool {
		fields = append(fields, zap.String(a.Key, a.Value.String()))
		return true
	})
	h.log.Log(h.level(r.Level), r.Message, fields...)
	return nil
}

// WithAttrs is slog.Handler's.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	log := h.log
	for _, a := range attrs {
		log = log.With(zap.String(a.Key, a.Value.String()))
	}
	return &handler{log}
}

// WithGroup is slog.Handler's. The queue has none.
func (h *handler) WithGroup(string) slog.Handler { return h }
