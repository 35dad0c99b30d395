package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/run/process"
)

// Without git, and with one that is too old, every command ends before it does anything, and says what to install; but
// for those that tell about the program itself. Not parallel: PATH is the process's.
func TestCommandsNeedGit(t *testing.T) {
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "git"), []byte("#!/bin/sh\necho git version 2.37.1\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{t.TempDir(), old} {
		t.Setenv("PATH", path)
		ended := 0
		everyCommand(func(c *cobra.Command) {
			if c.IsAdditionalHelpTopicCommand() || !c.Runnable() || !c.HasParent() {
				return
			}
			line := words(c)
			a := &app{out: io.Discard, err: io.Discard, args: line}
			root := a.root()
			found, _, err := root.Find(line)
			if err != nil {
				return
			}
			found.SetContext(t.Context())
			err = needsGit(found, nil)
			if top := line[0]; top == "version" || top == "help" || top == "doctor" ||
				top == "completion" || top == "hook" {
				if err != nil {
					t.Errorf("%s: %v", c.CommandPath(), err)
				}
				return
			}
			ended++
			if !errors.Is(err, gitops.ErrGit) || !process.Lasting(err) || !strings.Contains(err.Error(), "install") {
				t.Errorf("%s: %v", c.CommandPath(), err)
			}
		})
		if ended < 20 {
			t.Errorf("%d commands ended", ended)
		}
	}
}
