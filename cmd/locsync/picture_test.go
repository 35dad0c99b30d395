package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var updatePicture = flag.Bool("update-picture", false, "draw .github/media/demo.svg again")

// commitName is what differs between two runs of the demo.
var commitName = regexp.MustCompile(`commit [0-9a-f]{10}\b`)

// checkPicture holds the picture that README.md shows to what the demo prints: the edit of a text, its way to the
// service and back.
func checkPicture(t *testing.T, demo string) {
	t.Helper()
	_, part, found := strings.Cut(demo, "\n\n4. ")
	part, _, ends := strings.Cut(part, "   diff --git a/config/")
	if !found || !ends {
		t.Fatalf("the demo prints\n%s", demo)
	}
	drawn := draw(strings.Split(strings.TrimSpace("4. "+commitName.ReplaceAllString(part, "commit 652e3c773a")), "\n"))
	file := filepath.Join("..", "..", ".github", "media", "demo.svg")
	if *updatePicture {
		if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if readPage(t, file) != drawn {
		t.Errorf("%s is not what the demo prints; draw it again: go test ./cmd/locsync -run TestPages -update-picture",
			file)
	}
}

// moving has the steps of a picture appear one after the other, for those who do not want less motion.
const moving = "<style>@media (prefers-reduced-motion: no-preference) {\n" +
	"g { animation: appear 0.4s both } @keyframes appear { from { opacity: 0 } } }</style>\n"

// draw is a picture of lines of a terminal, in which a step begins with its number.
func draw(lines []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="%d" role="img" `+
		`aria-label="locsync demo in a terminal">`+"\n", 20*len(lines)+30)
	out.WriteString(`<rect width="100%" height="100%" rx="8" fill="#0d1117"/>` + "\n")
	out.WriteString(moving)
	step := 0
	for i, line := range lines {
		colour := "#c9d1d9"
		if isStep := line != "" && line[0] >= '0' && line[0] <= '9'; isStep || i == 0 {
			if i > 0 {
				out.WriteString("</g>\n")
			}
			fmt.Fprintf(&out, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" `+
				`style="animation-delay: %ds">`+"\n", 2*step)
			step++
			colour = "#58a6ff"
		}
		switch {
		case strings.HasPrefix(line, "   +"):
			colour = "#3fb950"
		case strings.HasPrefix(line, "   -"):
			colour = "#ff7b72"
		}
		line = strings.ReplaceAll(html.EscapeString(line), " ", "\u00a0") // SVG joins other blanks to one
		fmt.Fprintf(&out, `<text x="16" y="%d" fill="%s">%s</text>`+"\n", 20*i+30, colour, line)
	}
	return out.String() + "</g>\n</svg>\n"
}
