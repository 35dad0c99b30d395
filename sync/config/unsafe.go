package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnsafePath says why a path must not be written in a repository; "" when it may: relative, with plain
// slashes, inside the repository and outside everything called .git, under any file system's idea of
// names. The service decides parts of paths (labels, archive entries), so this holds for what comes
// back too, not only for what the configuration says.
func UnsafePath(path string) string {
	if why := unsafePattern(path); why != "" {
		return why
	}
	if len(path) > longestPath {
		return fmt.Sprintf("it is longer than %d bytes", longestPath)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) > longestSegment {
			return fmt.Sprintf("it has a part longer than %d bytes", longestSegment)
		}
	}
	return ""
}

// unsafePattern is UnsafePath for a pattern, which may list many names and be longer than each.
func unsafePattern(path string) string {
	switch {
	case path == "":
		return "it is empty"
	case strings.HasPrefix(path, "/"):
		return "it is absolute; write it relative to the repository"
	case strings.HasPrefix(path, "~"):
		return "it begins with ~; write it relative to the repository"
	case strings.Contains(path, `\`):
		return "it holds a backslash; folders are separated by /"
	case len(path) > 1 && path[1] == ':':
		return "it begins with a drive letter; write it relative to the repository"
	case strings.IndexFunc(path, unicode.IsControl) >= 0:
		return "it holds a control character"
	case strings.HasSuffix(path, "/"):
		return "it ends with a slash; a file is meant"
	}
	for segment := range strings.SplitSeq(path, "/") {
		if why := unsafeSegment(segment); why != "" {
			return why
		}
	}
	return ""
}

// UnsafeLabel says why the text that stands for {LABEL:...} must not become part of a path; "" when it
// may. Labels come from the service, so hidden files and folders (.github, .gitlab-ci.yml) are out.
func UnsafeLabel(text string) string {
	if why := UnsafePath(text); why != "" {
		return why
	}
	for segment := range strings.SplitSeq(text, "/") {
		if strings.HasPrefix(segment, ".") {
			return "labels may not name hidden files or folders"
		}
	}
	return ""
}

// obeyed are names whose content is run or obeyed.
var obeyed = map[string]bool{
	".gitignore": true, ".gitattributes": true, ".gitmodules": true, ".github": true, ".gitlab": true, ".gitea": true,
	".gitlab-ci.yml": true, ".mailmap": true,
	FileName: true, ".husky": true, ".lfsconfig": true, ".lefthook": true, "lefthook.yml": true, ".circleci": true,
	".pre-commit-config.yaml": true, ".forgejo": true, ".woodpecker": true, ".woodpecker.yml": true, ".buildkite": true,
	".drone.yml": true, ".travis.yml": true, "azure-pipelines.yml": true, "bitbucket-pipelines.yml": true,
	".vscode": true, ".idea": true, ".devcontainer": true, ".githooks": true, "jenkinsfile": true, "appveyor.yml": true,
	".appveyor.yml": true, ".cirrus.yml": true, ".lefthook.yml": true, "lefthook.yaml": true, ".lefthook.yaml": true,
	".woodpecker.yaml": true,
}

// What file systems take: the longest path, and the longest name in it.
const (
	longestPath    = 1024
	longestSegment = 255
)

// unsafeSegment looks at one name between slashes.
func unsafeSegment(segment string) string {
	switch segment {
	case "":
		return "it has an empty part between slashes"
	case ".":
		return `it has a part "."; leave it out`
	case "..":
		return "it leaves its folder by .."
	}
	// What NTFS and HFS+ take for .git: trailing dots and blanks, streams, short names, invisible characters.
	plain := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, segment)
	plain, _, _ = strings.Cut(Fold(plain), ":")
	plain = strings.TrimRight(plain, ". ")
	switch {
	case plain == ".git" || plain == "git~1":
		return "it is inside .git"
	case obeyed[plain]:
		return fmt.Sprintf("%s is read by git, by a git host or by locsync, and cannot hold translations", segment)
	}
	return ""
}
