// Package programtest asks the programs that read texts, in tests: each is one process that answers a line with a line.
package programtest

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Judge is such a process.
type Judge struct {
	in      io.WriteCloser
	answers *bufio.Scanner
	wrong   strings.Builder
}

// longestAnswer is how many bytes an answer may have.
const longestAnswer = 64 << 20

// Start starts a process, which ends with the test.
func Start(t testing.TB, cmd *exec.Cmd) *Judge {
	t.Helper()
	j := &Judge{}
	cmd.Stderr = &j.wrong
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j.in, j.answers = in, bufio.NewScanner(out)
	j.answers.Buffer(nil, longestAnswer)
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v: %s", cmd.Args, err, &j.wrong)
		}
	})
	return j
}

// Ask puts lines to a process, and gives back its answers.
func (j *Judge) Ask(t testing.TB, lines []string) []string {
	t.Helper()
	go func() { // answers are read at the same time: pipes are short
		w := bufio.NewWriter(j.in)
		for _, line := range lines {
			w.WriteString(line + "\n")
		}
		w.Flush()
	}()
	answers := make([]string, 0, len(lines))
	for range lines {
		if !j.answers.Scan() {
			t.Fatalf("%d answers to %d lines: %v: %s", len(answers), len(lines), j.answers.Err(), &j.wrong)
		}
		answers = append(answers, j.answers.Text())
	}
	return answers
}

// Question asks a question in JSON, and reads the answer.
func (j *Judge) Question(t testing.TB, question, answer any) {
	t.Helper()
	line, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(j.Ask(t, []string{string(line)})[0]), answer); err != nil {
		t.Fatal(err)
	}
}

// Folder is where the libraries of npm and of Ruby are that .ci/run installs; the test is skipped where they are not.
func Folder(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("LOCSYNC_JUDGES")
	if folder == "" {
		t.Skip("LOCSYNC_JUDGES names no folder with the libraries that .ci/run installs from npm")
	}
	return folder
}

// Node starts a script, which finds libraries of npm in the folder that it is run in.
func Node(t testing.TB, script string) *Judge {
	t.Helper()
	cmd := exec.Command("node", absolute(t, script))
	cmd.Dir = Folder(t)
	return Start(t, cmd)
}

// Script starts a script of another language; the test is skipped where that cannot run probe.
func Script(t testing.TB, script, language string, probe ...string) *Judge {
	t.Helper()
	if out, err := exec.Command(language, probe...).CombinedOutput(); err != nil {
		t.Skipf("%s cannot be asked: %v: %s", language, err, out)
	}
	return Start(t, exec.Command(language, absolute(t, script)))
}

func absolute(t testing.TB, file string) string {
	t.Helper()
	name, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return name
}
