package position

import (
	"fmt"
	"regexp"
	"strings"
)

var bareText = regexp.MustCompile(`^\s*([\w-]+)\s*=\s*([A-Za-z/.~*][^"'#\[\]{}]*)`)

// NeedsQuotes says how a text without quotes in a line, the first being 1, is written; "" where the line has none.
func NeedsQuotes(data []byte, line int) string {
	lines := strings.Split(string(data), "\n")
	if line > len(lines) {
		return ""
	}
	parts := bareText.FindStringSubmatch(lines[line-1])
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("a text needs quotes: %s = %q", parts[1], strings.TrimSpace(parts[2]))
}
