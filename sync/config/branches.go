package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config/glob"
)

// The words that stand for the branch that is translated: both in Pull.Branch, branchWord also in collections.
const (
	branchWord = "{BRANCH}"
	baseWord   = "{base}"
)

func fillBranch(text, branch string) string {
	return strings.NewReplacer(branchWord, branch, baseWord, branch).Replace(text)
}

// hasBranchCollections reports whether branches have collections of their own.
func (p *Project) hasBranchCollections() bool {
	return slices.ContainsFunc(p.Files, func(f Files) bool { return strings.Contains(f.Collection, branchWord) })
}

// PerBranch reports whether branches are translated beside each other: each is the base of a translation branch of its
// own, has its own collections where they hold {BRANCH}, and is remembered alone. On gives the project for one of them.
func (p *Project) PerBranch() bool { return fillBranch(p.Pull.Branch, "x") != p.Pull.Branch }

// On is the project for one branch, when it is PerBranch: no placeholder for the branch is left in it. The error says
// why the branch cannot be translated: its name makes no collection, or no translation branch.
func (p *Project) On(branch string) (*Project, error) {
	on := *p
	on.Pull.Base, on.Pull.Branch = branch, fillBranch(p.Pull.Branch, branch)
	on.Push.Branches = []string{glob.Escape(branch)}
	if p.Push.Source != Worktree {
		on.Push.Source, on.Push.Branches = branch, nil
	}
	if why := branchProblem(on.Pull.Branch); why != "" {
		return nil, fmt.Errorf("branch %s is not translated: pull.branch makes %s; change one of the two", branch, why)
	}
	on.Files = slices.Clone(p.Files)
	for i := range on.Files {
		f := &on.Files[i]
		if !strings.Contains(f.Collection, branchWord) {
			continue
		}
		if strings.ContainsAny(branch, ",{}") {
			return nil, fmt.Errorf("branch %s is not translated: the name of a collection has no comma and no brace; "+
				"rename it", branch)
		}
		f.Collection = strings.ReplaceAll(f.Collection, branchWord, branch)
	}
	return &on, nil
}

// From is the project with a branch that pushes read, and that translations are built on, for a repository that is
// Cloned and whose configuration names none.
func (p *Project) From(source string) *Project {
	from := *p
	from.Push.Source = source
	if !p.hasBranchCollections() {
		from.Pull.Base = cmp.Or(from.Pull.Base, source)
		from.Pull.Branch = fillBranch(p.Pull.Branch, from.Pull.Base)
	}
	return &from
}

// Translates reports whether a branch is translated, when the project is PerBranch. A translation branch is not.
func (p *Project) Translates(branch string) bool {
	if branch == "" {
		return false
	}
	before, after, _ := strings.Cut(strings.ReplaceAll(p.Pull.Branch, baseWord, branchWord), branchWord)
	if before+after != "" && len(branch) > len(before)+len(after) &&
		strings.HasPrefix(branch, before) && strings.HasSuffix(branch, after) {
		return false
	}
	if p.Push.Source != Worktree {
		return branch == p.Push.Source || len(p.Push.Branches) > 0 && p.Push.Covers(branch)
	}
	return p.Push.Covers(branch)
}

// Trunk is the branch that the others are made from and merged into, when the project is PerBranch: Push.Source when
// that is a branch, else the first of Push.Branches that is not a pattern; "" for none. A key that it has is not sent
// again for another branch that has it with the same text.
func (p *Project) Trunk() string {
	if p.Push.Source != Worktree {
		return p.Push.Source
	}
	if plain := p.plainBranches(); len(plain) > 0 {
		return plain[0]
	}
	return ""
}

// plainBranches are those of Push.Branches that are not patterns.
func (p *Project) plainBranches() []string {
	var plain []string
	for _, name := range p.Push.Branches {
		if branchProblem(name) == "" && glob.Escape(name) == name {
			plain = append(plain, name)
		}
	}
	return plain
}

// Collections are the collections of a project as the configuration has them, each once. For one branch they are what
// On makes of them.
func (p *Project) Collections() []string {
	var all []string
	for _, f := range p.Files {
		if !slices.Contains(all, f.Collection) {
			all = append(all, f.Collection)
		}
	}
	return all
}

// branches checks the branch's name, and fills {base} in where the configuration says the base.
func (v *validator) branches(p *Project) {
	v.in(p.origin.at("pull"))
	own := p.hasBranchCollections()
	switch {
	case own && p.Pull.Base != "":
		v.add("base", "goes not with a collection that holds {BRANCH}: each branch is its own base; leave base out")
		return
	case own && !p.PerBranch():
		v.add("branch", "%q would hold the translations of all branches, and a collection holds {BRANCH}; "+
			"put {base} into it, as in l10n/{base}", p.Pull.Branch)
		return
	case !own && p.PerBranch() && p.Pull.Base != "":
		p.Pull.Branch = fillBranch(p.Pull.Branch, p.Pull.Base)
	case !own && p.Push.Source != Worktree && p.Push.Source != "" && (p.PerBranch() || p.Cloned()):
		*p = *p.From(p.Push.Source)
	}
	if strings.HasPrefix(p.Pull.Branch, branchWord+"/") || strings.HasPrefix(p.Pull.Branch, baseWord+"/") {
		v.add("branch", "%q would lie below the branch that it is for, as if that were a folder, which git does not "+
			"allow; put the word last, as in l10n/{base}", p.Pull.Branch)
	}
}

// branchClashes refuses branches of one repository of which one would be a folder of another: git keeps only one.
func (v *validator) branchClashes(c *Config) {
	type named struct{ repository, name string }
	seen := make(map[named]bool, len(c.Projects))
	folders := make(map[named]string, len(c.Projects)) // of the names in seen, each with one that is in it
	for i := range c.Projects {
		p := &c.Projects[i]
		at := c.Resolve(p.Repository)
		names := []string{p.Pull.Branch, p.Pull.Base}
		if p.Push.Source != Worktree {
			names = append(names, p.Push.Source)
		}
		for _, name := range append(names, p.plainBranches()...) {
			if name == "" || seen[named{at, name}] {
				continue
			}
			seen[named{at, name}] = true
			clash := folders[named{at, name}]
			for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
				folders[named{at, folder}] = name
				if seen[named{at, folder}] {
					clash = folder
				}
			}
			if clash != "" {
				v.in(p.origin.at("pull"))
				v.add("branch", "git cannot have both branches %s and %s: one would be a folder of the other; choose "+
					"another name", name, clash)
			}
		}
	}
}

func (v *validator) branch(key, name string) {
	if why := branchProblem(name); why != "" {
		v.add(key, "%s", why)
	}
}

// branchProblem says what is wrong with the name of a branch, by git's rules for them; "" when nothing is.
func branchProblem(name string) string {
	bad := name == "" || name == "@" || name == "HEAD" ||
		strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") ||
		strings.ContainsAny(name, " ~^:?*[\\") || !plainText(name)
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || strings.HasPrefix(segment, ".") || strings.HasSuffix(segment, ".lock") {
			bad = true
		}
	}
	switch {
	case bad:
		return fmt.Sprintf("%q is not the name of a branch", name)
	case strings.HasPrefix(name, "refs/"):
		return fmt.Sprintf("%q: write the branch alone, %q", name, strings.TrimPrefix(name, "refs/heads/"))
	}
	return ""
}

func matches(pattern, name string) bool { return glob.Match(pattern, name) }
