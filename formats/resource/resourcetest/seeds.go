package resourcetest

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Seeds adds the inputs that a long run of fuzzing has kept, of testdata/seeds.txt: one on each line, each reaching
// statements that none before it does. A line has the arguments of the target, quoted as Go quotes strings: the file,
// then texts.
func Seeds(f *testing.F) {
	f.Helper()
	text, err := os.ReadFile("testdata/seeds.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var arguments []any
		for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				f.Fatalf("testdata/seeds.txt: %q: %v", line, err)
			}
			argument, _ := strconv.Unquote(quoted)
			rest = rest[len(quoted):]
			if len(arguments) == 0 {
				arguments = append(arguments, []byte(argument))
			} else {
				arguments = append(arguments, argument)
			}
		}
		f.Add(arguments...)
	}
}
