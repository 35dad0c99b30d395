package forge

import (
	"strings"
)

// Our part of a request's text is between two comments, which no forge shows. People may write above and below it;
// without the comments the text is theirs alone.
const (
	sectionBegin = "<!-- locsync: what precedes the next such line is generated -->"
	sectionEnd   = "<!-- locsync: end -->"
)

// Bitbucket shows comments. What its Markdown does not show are the targets of links, with blank lines around.
const (
	linkBegin = "[//]: # (locsync: what precedes the next such line is generated)\n"
	linkEnd   = "\n[//]: # (locsync: end)"
)

// The most that every forge takes of a title: GitLab, Gitea and Bitbucket 255 characters.
const maxTitle = 250

// custom is what requests at a forge may have.
type custom struct {
	most       int // bytes of a text
	begin, end string
	unlabeled  bool
}

// customs are those of the forges: GitHub takes 65536 characters of text, Bitbucket Data Center 32768, Azure DevOps
// 4000.
var customs = map[string]custom{
	bitbucket:   {32000, linkBegin, linkEnd, true},
	azureDevOps: {3800, sectionBegin, sectionEnd, false},
}

func (a *azure) custom() custom          { return customOf(azureDevOps) }
func (b *bitbucketCloud) custom() custom { return customOf(bitbucket) }
func (d *dataCenter) custom() custom     { return customOf(bitbucket) }
func (g *gitea) custom() custom          { return customOf(g.api.kind) }
func (g *gitHub) custom() custom         { return customOf(g.api.kind) }
func (g *gitLab) custom() custom         { return customOf(g.api.kind) }

func customOf(kind string) custom {
	if own, ok := customs[kind]; ok {
		return own
	}
	return custom{60000, sectionBegin, sectionEnd, false}
}

// Fit makes one line of a title, and cuts title and body to what a kind of forge takes.
func Fit(kind, title, body string) (string, string) { return customOf(kind).fit(title, body) }

func (c custom) section(body string) string {
	return c.begin + "\n" + strings.Trim(body, "\n") + "\n" + c.end
}

// replaceSection puts a new body into our part of a text; ours is false where there is no such part. Line ends, which
// the forges' own editors change, do not count as a difference.
func (c custom) replaceSection(text, body string) (replaced string, ours bool) {
	begin := strings.Index(text, strings.TrimSpace(c.begin))
	if begin < 0 {
		return text, false
	}
	length := strings.Index(text[begin:], strings.TrimSpace(c.end))
	if length < 0 {
		return text, false
	}
	end := begin + length + len(strings.TrimSpace(c.end))
	if strings.ReplaceAll(text[begin:end], "\r\n", "\n") == c.section(body) {
		return text, true
	}
	return text[:begin] + c.section(body) + text[end:], true
}

// fit makes one line of a title and cuts both to what the forge takes; what would end our part of the text early is
// taken out of it.
func (c custom) fit(title, body string) (string, string) {
	body = strings.NewReplacer("\r\n", "\n", "<!-- locsync:", "<!-- ", "[//]: # (locsync:", "[//]: # (").Replace(body)
	return cutShort(strings.Join(strings.Fields(title), " "), maxTitle), strings.Trim(cutShort(body, c.most), "\n")
}
