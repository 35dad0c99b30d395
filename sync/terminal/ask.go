package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrUnanswered ends a conversation whose input ended.
var ErrUnanswered = errors.New("nothing was written")

// Conversation asks one question after the other. What is typed is read by a goroutine of its own, which ends with the
// process or the input: a read of a terminal cannot be called off.
type Conversation struct {
	lines <-chan string // closed where the input ends
	out   io.Writer
}

// Converse begins a conversation with lines that are read from in.
func Converse(in io.Reader, out io.Writer) *Conversation {
	lines := make(chan string)
	go func() {
		defer close(lines)
		typed := bufio.NewScanner(in)
		for typed.Scan() {
			lines <- typed.Text()
		}
	}()
	return &Conversation{lines, out}
}

// Ask puts a question until the answer is taken. An empty answer means what is in brackets. take says what is wrong
// with an answer; "" when it is taken.
func (c *Conversation) Ask(ctx context.Context, question, byDefault string, take func(answer string) string) error {
	for {
		fmt.Fprint(c.out, question)
		if byDefault != "" {
			fmt.Fprintf(c.out, " [%s]", byDefault)
		}
		fmt.Fprint(c.out, ": ")
		var answer string
		var more bool
		select {
		case <-ctx.Done():
		case answer, more = <-c.lines:
		}
		if !more {
			fmt.Fprintln(c.out)
			return ErrUnanswered
		}
		if answer = strings.TrimSpace(answer); answer == "" {
			answer = byDefault
		}
		why := take(answer)
		if why == "" {
			return nil
		}
		fmt.Fprintf(c.out, "  %s\n", why)
	}
}

// YesOrNo takes an answer to a question of that kind: for Ask.
func YesOrNo(answer string, yes *bool) (wrong string) {
	switch strings.ToLower(answer) {
	case "y", "yes":
		*yes = true
	case "n", "no":
		*yes = false
	default:
		return "yes or no"
	}
	return ""
}
