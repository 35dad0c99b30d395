// Package serve is the HTTP server of every address of this program: the daemon's, the one for commands, and the
// embedded service's, with its page.
//
// Its law: whatever strangers send, what they can hold is bounded before it is known who they are, and those who are
// known are answered meanwhile. Headers and bodies have deadlines, connections and bodies in memory a limit, wrong
// secrets a rate; who proved a secret keeps the connection (Known). The package knows no path and no secret.
package serve

import (
	"log"
	"net/http"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/sync/bound/fault"
)

// Deadlines of every request. A handler that knows who sends may give more time (Unhurried).
const (
	HeaderTime  = 10 * time.Second // for the headers
	requestTime = 20 * time.Second // for all of a request
	BodyTime    = 15 * time.Second // for the body alone, from when it is read
	AnswerTime  = time.Minute      // for an answer to be taken; a stream sets its own before each part
	idleTime    = 2 * time.Minute
	MaxHeader   = 64 << 10
	fileTime    = 30 * time.Minute // for a file on its way to or from those who are known
)

// LogLines is how many lines a minute of each kind are logged about what every sender can cause.
const LogLines = 30

// Aside is the log for what every sender can cause: addresses that wrong secrets come from can be many.
func Aside(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, time.Minute, LogLines, 0)
	}))
}

// NewServer is an HTTP server with the bounds of this package: http.Server has none by default. What the server itself
// has to say goes to log. A fault of a handler ends its request and nothing else.
func NewServer(handler http.Handler, log *zap.Logger) *http.Server {
	server := &http.Server{
		ErrorLog: errorLog(log), Handler: fault.Handler(handler),
		ReadHeaderTimeout: HeaderTime, ReadTimeout: requestTime, WriteTimeout: AnswerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: MaxHeader,
	}
	new(connections).bound(server)
	return server
}

// errorLog is a log as net/http has it.
func errorLog(to *zap.Logger) *log.Logger {
	l, err := zap.NewStdLogAt(to, zap.ErrorLevel)
	if err != nil { // it is a level
		panic(err)
	}
	return l
}

// Unhurried gives a request of a known sender the time of a large file. A writer without deadlines has no limit either.
func Unhurried(w http.ResponseWriter) {
	c, end := http.NewResponseController(w), time.Now().Add(fileTime)
	_, _ = c.SetReadDeadline(end), c.SetWriteDeadline(end)
}
