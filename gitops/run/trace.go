package run

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Command is one run of the git program.
type Command struct {
	Dir    string   // the folder that it runs in
	Args   []string // without the settings that every command gets, and without passwords in addresses
	Remote bool     // it talks to a remote
}

type traceKey struct{}

// Tracing makes a context whose git commands are told of when they begin; what is returned is called when they end.
func Tracing(ctx context.Context, told func(Command) (ended func(took time.Duration, err error))) context.Context {
	return context.WithValue(ctx, traceKey{}, told)
}

// remoteVerbs are the git commands that talk to a remote.
var remoteVerbs = []string{"fetch", "push", "clone", "ls-remote"}

// traced tells of a command that begins, where the context asks for it.
func (c Call) traced(ctx context.Context) (ended func(error)) {
	told, ok := ctx.Value(traceKey{}).(func(Command) func(time.Duration, error))
	if !ok {
		return func(error) {}
	}
	args := slices.Clone(c.Args)
	for i, arg := range args {
		if strings.Contains(arg, "://") {
			args[i] = Redact(arg)
		}
	}
	start := time.Now()
	end := told(Command{Dir: c.Dir, Args: args, Remote: slices.Contains(remoteVerbs, c.verb())})
	return func(err error) { end(time.Since(start), err) }
}

// Redact takes the user's part out of an address, for messages.
func Redact(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Scheme == "" {
		if at := strings.LastIndex(address, "@"); at >= 0 && strings.Contains(address, "://") {
			scheme, _, _ := strings.Cut(address, "://")
			return scheme + "://" + address[at+1:]
		}
		return address
	}
	if u.Scheme == "ssh" {
		u.User = url.User(u.User.Username())
	} else {
		u.User = nil
	}
	return u.String()
}
