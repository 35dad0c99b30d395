package gitops

import (
	"os"
	"path/filepath"
	"strings"
)

// DefaultBranch is the branch that counts where none is named, as far as it can be told without asking: the remote's
// default branch as it was seen last, else, or without Options.Remote, the current branch. "" when HEAD names a commit.
func (r *Repo) DefaultBranch() (string, error) {
	if name := r.seenDefault(); name != "" {
		return name, nil
	}
	current, _, err := r.Head()
	return current, err
}

// seenDefault is the remote's default branch as a clone or a fetch of newer gits left it here; "" where none did.
func (r *Repo) seenDefault() string {
	if r.o.Remote == "" {
		return ""
	}
	remote := "refs/remotes/" + r.o.Remote + "/"
	content, err := os.ReadFile(filepath.Join(r.facts.CommonDir, filepath.FromSlash(remote), "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "+remote)
	if !ok || checkRefName("refs/heads/"+name) != nil {
		return ""
	}
	return name
}
