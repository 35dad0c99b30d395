package setup

import "strings"

// AgentsFile is where coding agents look for what they are to do in a repository (https://agents.md).
const AgentsFile = "AGENTS.md"

// Our section of it is between these comments; all else in the file is its owners'.
const (
	agentsBegin = "<!-- locsync: what precedes the next such comment is written by locsync init --agents -->"
	agentsEnd   = "<!-- locsync: end -->"
)

// Agents is the text of an AGENTS.md with our section, which says told: where an older one is, else at the end. Line
// ends are like the file's first. One whose second comment is missing gets a new section at the end.
func Agents(file, told string) string {
	section := agentsBegin + "\n## Translations\n\n" + strings.TrimSpace(told) + "\n" + agentsEnd
	eol := "\n"
	if first, _, more := strings.Cut(file, "\n"); more && strings.HasSuffix(first, "\r") {
		eol = "\r\n"
	}
	section = strings.ReplaceAll(section, "\n", eol)
	begin := strings.Index(file, agentsBegin)
	if begin >= 0 {
		if length := strings.Index(file[begin:], agentsEnd); length >= 0 {
			return file[:begin] + section + file[begin+length+len(agentsEnd):]
		}
	}
	if file == "" {
		return section + eol
	}
	return strings.TrimRight(file, "\r\n") + eol + eol + section + eol
}
