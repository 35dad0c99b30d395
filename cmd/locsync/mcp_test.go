//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An agent that starts the program beside a running daemon gets the daemon's status, conflicts and plans, and writes
// texts. The program says nothing else on standard output, and ends with its input.
func TestAgentBesideADaemon(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	cmd := w.start()
	w.until("the first push", func() bool { return strings.Contains(w.logs.String(), "pushed") })
	server := w.command("mcp")
	var logged bytes.Buffer
	server.Stderr = &logged
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: server}, nil)
	w.check(err)
	said := ""
	call := func(tool string, arguments map[string]any) string {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		w.check(err)
		text := result.Content[0].(*sdk.TextContent).Text
		said += text
		if result.IsError {
			t.Errorf("%s: %s", tool, text)
		}
		return text
	}
	var status struct {
		Daemon struct{ PID int }
	}
	w.check(json.Unmarshal([]byte(call("status", nil)), &status))
	if status.Daemon.PID != cmd.Process.Pid {
		t.Errorf("the daemon is %d, not %d", status.Daemon.PID, cmd.Process.Pid)
	}
	source := map[string]string{}
	text, err := os.ReadFile(filepath.Join(w.repo, "locales", "en.json"))
	w.check(err)
	w.check(json.Unmarshal(text, &source))
	for key := range source {
		set := call("set_texts", map[string]any{"texts": []map[string]string{{"key": key, "language": "de", "text": "neu"}}})
		if !strings.Contains(set, `"written":1`) {
			t.Error(set)
		}
		if plan := call("plan", map[string]any{"pass": "push"}); !strings.Contains(plan, `\"neu\"`) {
			t.Error(plan)
		}
		break
	}
	call("conflicts", nil)
	decided := call("decide", map[string]any{"side": "theirs", "keys": []string{"none"}})
	if !strings.Contains(decided, "has no conflict") {
		t.Error(decided)
	}
	w.check(session.Close())
	if code := server.ProcessState.ExitCode(); code != 0 || logged.Len() > 0 {
		t.Errorf("ended with %d, and said %s", code, &logged)
	}
	for _, variable := range w.env {
		if key, is := strings.CutPrefix(variable, "LOCSYNC_API_KEY="); is && strings.Contains(said, key) {
			t.Errorf("the API key is in an answer: %s", said)
		}
	}
}
