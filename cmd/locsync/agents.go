package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/setup"
	"github.com/locsync/locsync/sync/terminal/manual"
)

// agentsHeading is what the manual has for coding agents to read, on its page about them.
const agentsHeading = "For AGENTS.md or a skill"

// maxAgents is what an AGENTS.md may take.
const maxAgents = 4 << 20

// sayToAgents writes what coding agents are to do into the AGENTS.md of this folder.
func sayToAgents(a *app, dryRun bool) error {
	dir, err := here()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return misuse(err)
	}
	defer root.Close()
	page, err := pages.ReadFile("docs/agents.md")
	if err != nil {
		return err
	}
	if info, err := root.Lstat(setup.AgentsFile); err == nil && !info.Mode().IsRegular() {
		return misuse(fmt.Errorf("%s is a link or a folder, and is left alone; make it a file, or copy the text that "+
			"locsync help agents has", setup.AgentsFile))
	}
	old, err := bound.ReadFS(root.FS(), setup.AgentsFile, maxAgents)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return misuse(fmt.Errorf("read %s: %w", setup.AgentsFile, err))
	}
	text := setup.Agents(string(old), manual.Block(string(page), agentsHeading))
	switch {
	case text == string(old):
		a.sayWrapped("%s says it already; nothing is written", setup.AgentsFile)
		return nil
	case dryRun:
		fmt.Fprint(a.out, text)
		return nil
	}
	if err := files.WriteBelow(root, setup.AgentsFile, []byte(text)); err != nil {
		return misuse(err)
	}
	a.sayWrapped("wrote %s: what coding agents are to do with translations; locsync help agents says how they reach "+
		"locsync. Commit it", setup.AgentsFile)
	return nil
}
