package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/locsync/locsync/sync/bound"
)

// mostLine bounds a message: mostTexts texts of 6 KB fit.
const mostLine = 32 << 20

// lineBudget is what a message may take in memory.
var lineBudget = bound.JSON{Memory: 64 << 20}

// lines is a stream with a JSON-RPC message on each line. A line that is none is answered with an error, and those that
// follow are read.
type lines struct {
	in  io.Reader
	out io.Writer
}

// Connect begins to read.
func (l lines) Connect(context.Context) (sdk.Connection, error) {
	c := &connection{from: bufio.NewReaderSize(l.in, 64<<10), to: l.out, incoming: make(chan jsonrpc.Message),
		closed: make(chan struct{})}
	go c.receive()
	return c, nil
}

// connection is one client's.
type connection struct {
	from     *bufio.Reader
	incoming chan jsonrpc.Message
	end      error // why nothing comes any more, once incoming is closed
	closed   chan struct{}
	once     sync.Once

	writing sync.Mutex
	to      io.Writer
}

func (c *connection) SessionID() string { return "" }

func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-c.incoming:
		if !more {
			return nil, c.end
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.write(text)
}

func (c *connection) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.to.Write(append(text, '\n'))
	return err
}

// receive reads messages until the stream ends or the connection is closed.
func (c *connection) receive() {
	defer close(c.incoming)
	for c.end == nil {
		var line []byte
		var long bool
		line, long, c.end = c.line()
		if len(line) == 0 {
			continue
		}
		m, wrong := decoded(line, long)
		if wrong != nil {
			text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": idOf(line, long), "error": wrong})
			if err == nil {
				err = c.write(text)
			}
			if err != nil {
				c.end = err
			}
			continue
		}
		select {
		case c.incoming <- m:
		case <-c.closed:
			return
		}
	}
}

// lineEnd is what is kept of a long line at either end: its request's number is there.
const lineEnd = 1024

// line reads a line. Of one that is too long, the beginning and the end are kept.
func (c *connection) line() (line []byte, long bool, err error) {
	for {
		piece, err := c.from.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > mostLine {
			line, long = append(line[:lineEnd:lineEnd], line[len(line)-lineEnd:]...), true
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// decoded is the message of a line, or what is wrong with the line.
func decoded(line []byte, long bool) (jsonrpc.Message, *jsonrpc.Error) {
	invalid := func(format string, args ...any) (jsonrpc.Message, *jsonrpc.Error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case long:
		return invalid("the message is longer than %d MB; send less with one call", mostLine>>20)
	case lineBudget.Weigh(line) != nil:
		return invalid("the message has too many parts, or too many inside each other; send less with one call")
	case !json.Valid(line):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError,
			Message: "the line is not JSON; send each message on one line of its own"}
	case line[0] == '[':
		return invalid("batches are not supported; send each message on a line of its own")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return invalid("the line is not a message of JSON-RPC 2.0: %s", cut(err.Error(), mostText))
	}
	return m, nil
}

// Clients write a request's number before what they ask, or at the end.
const idMember = `"id"\s*:\s*("[^"\\]*"|-?\d+)\s*`

var (
	idBefore = regexp.MustCompile(`^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?` + idMember + `,`)
	idAtEnd  = regexp.MustCompile(`,\s*` + idMember + `(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}$`)
)

// idOf is the number of the request of a line that is refused; nil where it cannot be known.
func idOf(line []byte, long bool) any {
	if long {
		for _, id := range []*regexp.Regexp{idBefore, idAtEnd} {
			if found := id.FindSubmatch(line); found != nil {
				return json.RawMessage(found[1])
			}
		}
		return nil
	}
	var request struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &request) // nil where it is not an object
	id := request.ID
	if len(id) == 0 || len(id) > lineEnd || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return nil
	}
	return id
}
