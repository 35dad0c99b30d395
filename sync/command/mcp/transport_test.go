package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/run/process"
)

// A line that is no message is answered with an error, by its request's number where it has one, and the server goes
// on; it ends with its input.
func TestBadLines(t *testing.T) {
	t.Parallel()
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		load := func() (*config.Config, error) { return config.Parse("locsync.toml", []byte(settings)) }
		ended <- Run(t.Context(), Options{Load: load, Process: process.Options{Version: "test", Log: zap.NewNop()}}, in, out)
		out.Close()
	}()
	answers := bufio.NewReader(from)
	type answer struct {
		ID     any
		Result json.RawMessage
		Error  struct {
			Code    int
			Message string
		}
	}
	send := func(lines ...string) (a answer) {
		t.Helper()
		go func() {
			for _, line := range lines {
				_, _ = io.WriteString(to, line)
			}
			_, _ = io.WriteString(to, "\n")
		}()
		line, err := answers.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &a)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, has := strings.CutPrefix(string(line), `{`); !has || !strings.Contains(string(line), `"id":`) {
			t.Errorf("%.200s", line)
		}
		return a
	}
	if a := send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`,
		`"clientInfo":{"name":"a","version":"1"}}}`); a.Result == nil {
		t.Fatalf("%+v", a)
	}
	long := strings.Repeat(strings.Repeat("long ", 1000), mostLine/5000+1)
	for i, c := range []struct {
		lines []string
		id    any
		code  int
		says  string
	}{
		{[]string{`{not json}`}, nil, -32700, "is not JSON"},
		{[]string{`{"jsonrpc":"2.0","id":1,"method":`}, nil, -32700, "is not JSON"},
		{[]string{"\xff\xfe"}, nil, -32700, "is not JSON"},
		{[]string{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`}, nil, -32600, "batches are not supported"},
		{[]string{`[]`}, nil, -32600, "batches"},
		{[]string{`7`}, nil, -32600, "is not a message"},
		{[]string{`{"jsonrpc":"1.0","id":8,"method":"ping"}`}, 8.0, -32600, `"1.0"`},
		{[]string{`{"jsonrpc":"2.0","id":{},"method":"ping"}`}, nil, -32600, "is not a message"},
		{[]string{`{"jsonrpc":"2.0","id":9,"method":"ping","params":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}"},
			9.0, -32600, "too many"},
		{[]string{`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"`, long, `"}}`}, 7.0, -32600, "longer than 32 MB"},
		{[]string{`{"method":"ping","params":{"id":3,"x":"`, long, long, `"},"jsonrpc":"2.0","id":"a-1"}`}, "a-1", -32600, "32 MB"},
		{[]string{`{"method":"ping","params":{"x":"`, long, `","id":3}}`}, nil, -32600, "32 MB"},
		{[]string{`{"jsonrpc":"2.0","id":11,"method":"none"}`}, 11.0, -32601, ""},
	} {
		a := send(c.lines...)
		if a.ID != c.id || a.Error.Code != c.code || !strings.Contains(a.Error.Message, c.says) {
			t.Errorf("%.60s: %+v", c.lines[0], a)
		}
		ping := send(fmt.Sprintf("\r\n\n"+`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\r", 100+i))
		if ping.ID != float64(100+i) || ping.Result == nil {
			t.Fatalf("after %.60s: %+v", c.lines[0], ping)
		}
	}
	to.Close()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}
