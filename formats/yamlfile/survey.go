package yamlfile

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"

	"github.com/locsync/locsync/formats/resource"
)

func refuse(at int, format string, args ...any) error {
	return &resource.SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// survey looks at every byte once, eight at a time, for what no YAML file may hold anywhere (c-printable, section
// 5.1): so that all code behind it needs to know no control character but tabs and line ends, and finds a carriage
// return only before a line feed. breaks reports characters that YAML 1.1 takes for line ends and 1.2 does not.
func survey(src string) (breaks bool, err error) {
	const ones = 0x0101010101010101
	var high uint64
	rest := unsafe.Slice(unsafe.StringData(src), len(src))
	for ; len(rest) >= 8; rest = rest[8:] {
		x := binary.LittleEndian.Uint64(rest)
		high |= x
		if (x-0x20*ones)&^x&(0x80*ones) != 0 && lowBytes(x) != lineFeeds(x) {
			if err := controls(src, len(src)-len(rest), 8); err != nil {
				return false, err
			}
		}
	}
	if err := controls(src, len(src)-len(rest), len(rest)); err != nil {
		return false, err
	}
	for _, c := range rest {
		high |= uint64(c)
	}
	if at := strings.IndexByte(src, 0x7F); at >= 0 {
		return false, control(at, 0x7F)
	}
	if high&(0x80*ones) == 0 {
		return false, nil
	}
	for i := strings.IndexByte(src, 0xC2); i >= 0; {
		if c := src[i+1]; c < 0xA0 && c != 0x85 {
			return false, control(i, rune(c))
		}
		step := strings.IndexByte(src[i+2:], 0xC2)
		if step < 0 {
			break
		}
		i += 2 + step
	}
	for _, c := range []string{"\uFFFE", "\uFFFF"} {
		if at := strings.Index(src, c); at >= 0 {
			return false, refuse(at, "the character %U, which no text may hold", []rune(c)[0])
		}
	}
	return strings.Contains(src, "\u2028") || strings.Contains(src, "\u2029") || strings.Contains(src, "\u0085"), nil
}

// lowBytes has the high bit of each byte of x that is below a space.
func lowBytes(x uint64) uint64 {
	return ^(x&0x7F7F7F7F7F7F7F7F + 0x6060606060606060 | x) & 0x8080808080808080
}

// lineFeeds has the high bit of each byte of x that is a line feed.
func lineFeeds(x uint64) uint64 {
	x ^= 0x0A0A0A0A0A0A0A0A
	return ^(x&0x7F7F7F7F7F7F7F7F + 0x7F7F7F7F7F7F7F7F | x) & 0x8080808080808080
}

// controls refuses control characters among the n bytes from offset i on.
func controls(src string, i, n int) error {
	for to := i + n; i < to; i++ {
		switch c := src[i]; {
		case c >= ' ' || c == '\n' || c == '\t':
		case c != '\r':
			return control(i, rune(c))
		case i+1 == len(src) || src[i+1] != '\n':
			return refuse(i, "a carriage return without a line feed")
		}
	}
	return nil
}

func control(i int, c rune) error {
	return refuse(i, "the control character %U; in double quotes it is written \\x%02X", c, c)
}

// breakAt is the first of the characters that YAML 1.1 takes for line ends, -1 when there is none.
func breakAt(s string) int { return strings.IndexAny(s, "\u0085\u2028\u2029") }

// checkBreaks leaves out flow texts in which readers of YAML 1.1 and 1.2 would see different things, and refuses such
// characters elsewhere. They agree on U+2028 and U+2029 between two other characters of a quoted text.
func checkBreaks(s *scanner) error {
	const why = "a line separator character, which readers disagree on; write it as \\N, \\L or \\P in double quotes"
	left, src := 0, s.src // a node; the root is none
	for i, next := 0, 0; ; i += 2 {
		step := breakAt(src[i:])
		if step < 0 {
			return nil
		}
		i += step
		for next < len(s.nodes) && (s.nodes[next].Kind > resource.Other || int(s.nodes[next].Value.End) <= i) {
			next++
		}
		if next == len(s.nodes) || int(s.nodes[next].Value.Start) >= i || s.nodes[next].Style > doubleEscaped ||
			s.nodes[next].Kind != resource.Text && next != left {
			return refuse(i, why)
		}
		if next != left && (src[i] == 0xC2 || s.nodes[next].Style < single ||
			strings.IndexByte(" \t\n\r\\", src[i-1]) >= 0 || strings.IndexByte(" \t\n\r-.", src[i+3]) >= 0) {
			left, s.nodes[next].Kind = next, resource.Other
			s.warnings = append(s.warnings, resource.Warning{Node: next, At: i, Left: true, Msg: "it has " + why})
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isSpaceAt reports white space, a line end or the end of the file at offset i.
func isSpaceAt(src string, i int) bool {
	if i >= len(src) {
		return true
	}
	switch src[i] {
	case ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

func isBreakAt(src string, i int) bool {
	return i >= len(src) || src[i] == '\n' || src[i] == '\r'
}

func skipBlanks(src string, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

func skipSpaces(src string, i int) int {
	for i < len(src) && src[i] == ' ' {
		i++
	}
	return i
}

// lineEnd is where the text of the line ends that offset i is in, before its line end; next is where the following
// line starts.
func lineEnd(src string, i int) (end, next int) {
	n := strings.IndexByte(src[i:], '\n')
	if n < 0 {
		return len(src), len(src)
	}
	end = i + n
	next = end + 1
	if end > i && src[end-1] == '\r' {
		end--
	}
	return end, next
}

const byteOrderMark = "\uFEFF"

// lineStart is where the line starts that offset i is in.
func lineStart(src string, i int) int {
	start := strings.LastIndexByte(src[:i], '\n') + 1
	if start == 0 && i >= len(byteOrderMark) && strings.HasPrefix(src, byteOrderMark) {
		return len(byteOrderMark)
	}
	return start
}

// column is the number of bytes before offset i on its line. It is only asked where those are blanks, dashes and
// question marks.
func column(src string, i int) int { return i - lineStart(src, i) }

// markAt reports a document mark, "---" or "...", at the start of a line.
func markAt(src string, i int) bool {
	return i+3 <= len(src) && (src[i:i+3] == "---" || src[i:i+3] == "...") && isSpaceAt(src, i+3)
}
