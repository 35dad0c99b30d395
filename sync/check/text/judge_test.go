package text

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/programs/programtest"
)

// judged is how many texts are put before a judge: fewer where not all tests are wanted, or some are drawn.
var judged = cmp.Or(map[string]int{"": 2000, "drawn": 4000}[os.Getenv("LOCSYNC_ALL_TESTS")], 20000)

// drawn is a source of texts that is another one in each run; LOCSYNC_SEED repeats one.
func drawn(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("LOCSYNC_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("LOCSYNC_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 7))
}

// samples are texts for a reader, one half of pieces, and one half of those with one or two slips.
func samples(t *testing.T, from []string, longest int) []string {
	t.Helper()
	rnd := drawn(t)
	all := make([]string, judged)
	for i := range all {
		if i >= judged/2 {
			all[i] = slipped(rnd, all[i-judged/2])
			continue
		}
		var b strings.Builder
		for range 1 + rnd.IntN(longest) {
			b.WriteString(from[rnd.IntN(len(from))])
		}
		all[i] = b.String()
	}
	return all
}

// slipped is a text in which a character is lost, doubled, another one, or in another place.
func slipped(rnd *rand.Rand, s string) string {
	signs := []rune("{}'#<>/|@:$%,.= \n01anoé-_")
	for range 1 + rnd.IntN(2) {
		letters := []rune(s)
		if len(letters) == 0 {
			return string(signs[rnd.IntN(len(signs))])
		}
		i, j := rnd.IntN(len(letters)), rnd.IntN(len(letters))
		switch rnd.IntN(5) {
		case 0:
			letters = slices.Delete(letters, i, i+1)
		case 1:
			letters = slices.Insert(letters, i, letters[i])
		case 2:
			letters = slices.Insert(letters, i, signs[rnd.IntN(len(signs))])
		case 3:
			letters[i] = signs[rnd.IntN(len(signs))]
		default:
			letters[i], letters[j] = letters[j], letters[i]
		}
		s = string(letters)
	}
	if s == "" {
		return "a"
	}
	return s
}

// whole are pieces that are often right, so that not all texts are refused.
var whole = map[programs.Reader][]string{
	programs.FormatJS: {"a", " ", "{n}", "{ name }", "{n, plural, one {# x} other {# y}}", "{g, select, a {b} other {c}}",
		"{n, plural, =0 {x} other {'#'}}", "<b>x</b>", "<a>", "</a>", "<br/>", "'", "''", "'{'", "{", "}", "#", "<", ">",
		"{d, date, short}", "{n, number, ::percent}", "{n, number}", "{n, selectordinal, one {#st} other {#th}}",
		"{n, plural, offset:1 one {x} other {y}}", "{n, plural, =-1 {x} =1.5 {y} other {z}}",
		"{d, date, ::yyyyMMMd}", "{n, number, ::currency/USD .00}", "{n, number, ::integer-width/*00 E0}",
		"{n, number, ::.00/w measure-unit/a s}", "{n, number, ::EE+!0 @@r .0#/@@}", "{x.y}", "{n, plural, one {x}}", "{a-b}", "{n, foo}", "L'", "{0}", "é",
		"{n, plural, few {{m}} other {<b>z</b>}}", "<a href='x'>", "other", ",", "plural", "{}"},
	programs.VueI18n: {"a", " ", "{n}", "{ name }", "{0}", "{'@'}", "{'a b'}", "@:key", "@.lower:key", "@:{n}", "@:{1}", "@:{", "@", ":", "|",
		" | ", "{", "}", "'", "\\", "\n", "a@b.es", "@:(x)", "{a-b}", "{a.b}", "{}", "{a b}", ".", "é", "$", "@.:x", "@.x",
		"{'\\u0041'}", "{'\\x'}", "x", "\\{", "\\@", "\\|", "(", ")", "{$a}", "{a$}", "{-1}"},
	programs.I18next: {"a", " ", "{{name}}", "{{ n }}", "{{- html}}", "{{n, number}}", "{{n, number(a: 1)}}", "{", "}", "{{", "}}",
		"{{}}", "{x}", "{{a_b}}", "{{- }}", "-", ",", "{{a}}{{b}}", "\n", "{{ é }}"},
	programs.Composite: {"a", " ", "{0}", "{1}", "{0:N2}", "{1,5}", "{1,-5:x}", "{ 0 }", "{0 }", "{name}", "{{", "}}", "{", "}", "{0,}",
		"{0:}", "{12}", "{0, 5 }", "{0,5 :d}", "{0:a{b}", "{0:{{x}}}", "{-1}", "{00}", "é", ":", ",", "x"},
	programs.MessageFormat: {"a", " ", "{0}", "{1}", "{0,number}", "{0,number,integer}", "{0,number,#.##}", "{0, number}",
		"{1,choice,0#none|1#one|1<{1}}", "'", "''", "'{'", "{", "}", "{ 0 }", "{name}", "{0,numero}", "{0,choice,1#a|0#b}",
		"{0,choice,x#a}", "é", "l'", "{0,number,currency}", "{-1}", "{+1}", "{0,}", "{0,,}", "{10}", "{0,number,0,000}",
		"{0,number,#,#0.0#}", "{0,number,.#0}", "{0,NUMBER}"},
}

// agree compares what a judge refuses with what a reader does.
func agree(t *testing.T, texts, refused []string, faults func(s string) []string) {
	t.Helper()
	wrong, bad := 0, 0
	for i, s := range texts {
		found := faults(s)
		if refused[i] != "" {
			bad++
		}
		if (refused[i] != "") != (len(found) > 0) {
			wrong++
			if wrong <= 15 {
				t.Errorf("%q: the program says %q, here %q", s, refused[i], found)
			}
		}
	}
	if bad < len(texts)/10 || bad > len(texts)*9/10 {
		t.Errorf("%d of %d are refused; they show nothing", bad, len(texts))
	}
	t.Logf("%d texts, %d refused, %d judged otherwise", len(texts), bad, wrong)
}

// found is what a program finds in a text.
type found struct {
	Refused     string
	Names, Tags []string
}

// compare holds what a reader finds to what its program does.
func compare(t *testing.T, texts []string, program []found, read func(s string) Text) {
	t.Helper()
	refused := make([]string, len(texts))
	wrong := 0
	for i, s := range texts {
		refused[i] = program[i].Refused
		here := read(s)
		if refused[i] != "" || len(here.Faults) > 0 {
			continue
		}
		var names, tags []string
		for _, a := range here.Arguments {
			names = append(names, a.Name)
		}
		for _, tag := range here.Tags {
			tags = append(tags, tag.Name)
		}
		if !same(names, program[i].Names) || !same(tags, program[i].Tags) {
			wrong++
			if wrong <= 15 {
				t.Errorf("%q: the program finds %q and tags %q, here are %q and %q", s, program[i].Names, program[i].Tags, names,
					tags)
			}
		}
	}
	if wrong == 0 && !slices.ContainsFunc(refused, func(why string) bool { return why != "" }) {
		return // it refuses nothing
	}
	agree(t, texts, refused, func(s string) []string { return read(s).Faults })
}

// same reports whether two lists have the same words, however often and in whatever order.
func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// The readers of what npm has refuse what its libraries refuse, and find the same names and tags.
func TestNode(t *testing.T) {
	for _, r := range []programs.Reader{programs.FormatJS, programs.I18nextICU, programs.VueI18n,
		programs.I18next} {
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			pieces := whole[r]
			if pieces == nil {
				pieces = whole[programs.FormatJS]
			}
			judge := programtest.Node(t, "testdata/judge.mjs")
			texts := samples(t, pieces, 5)
			lines, answers := make([]string, len(texts)), make([]found, len(texts))
			for i, s := range texts {
				line, err := json.Marshal([]string{string(r), s})
				if err != nil {
					t.Fatal(err)
				}
				lines[i] = string(line)
			}
			for i, answer := range judge.Ask(t, lines) {
				if err := json.Unmarshal([]byte(answer), &answers[i]); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, texts, answers, func(s string) Text { return Read(r, s, Options{}) })
		})
	}
}

// unjudged are readers without a program to ask in npm, Debian or Go's proxy, with the source of their rules.
var unjudged = map[programs.Reader]string{
	programs.Flutter:         "flutter_tools: message_parser.dart, whose grammar TestFlutter reads in another way",
	programs.FlutterEscaping: "flutter_tools: message_parser.dart, whose grammar TestFlutter reads in another way",
	programs.Slang:           "slang: regex_utils.dart, whose expressions TestSlang uses",
	programs.SlangBraces:     "slang: string_interpolation_extensions.dart, which TestSlang spells as expressions",
	programs.SlangDouble:     "slang: string_interpolation_extensions.dart, which TestSlang spells as expressions",
	programs.Inline:          "OASIS: XLIFF 1.2 and 2.0, inline elements; those of Angular have a judge",
}

// Each reader is put before a program, or it is said where its rules are from.
func TestEachReaderIsJudged(t *testing.T) {
	elsewhere := []programs.Reader{programs.I18nextICU, programs.MessageICU, programs.Laravel, programs.Angular,
		programs.Extension}
	for r := range readers {
		_, drawn := whole[r]
		byProgram := drawn || r.Gettext() || slices.Contains(elsewhere, r)
		if byProgram == (unjudged[r] != "") {
			t.Errorf("%s: judged by a program: %v, and its rules are from %q", r, byProgram, unjudged[r])
		}
	}
}

// Laravel fills in the names that the reader finds in a translation.
func TestLaravel(t *testing.T) {
	php := programtest.Script(t, "testdata/laravel.php", "php", "-r",
		"exit((int) !file_exists('/usr/share/php/Illuminate/Translation/autoload.php'));")
	names := []string{"name", "names", "n", "maxSize", "seconds"}
	texts := samples(t, []string{"a", " ", ":name", ":NAME", ":Name", ":names", ":nAme", ":n", ":N", ":maxSize", ":MaxSize",
		":maxsize", ":MAXSIZE", ":", "::", "12:30", "x:name", ":seconds.", ":other", ":na", "é", "{0}", "|", ":second"}, 5)
	lines := make([]string, len(texts))
	for i, s := range texts {
		line, err := json.Marshal([]any{names, s})
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = string(line)
	}
	wrong := 0
	for i, answer := range php.Ask(t, lines) {
		var filled, found []string
		if err := json.Unmarshal([]byte(answer), &filled); err != nil {
			t.Fatal(err)
		}
		for _, a := range Read(programs.Laravel, texts[i], Options{Names: names}).Arguments {
			found = append(found, a.Name)
		}
		if !slices.Equal(filled, found) {
			if wrong++; wrong < 16 {
				t.Errorf("%q: the program fills in %v, here are %v", texts[i], filled, found)
			}
		}
	}
	t.Logf("%d texts, %d judged otherwise", len(texts), wrong)
}

// amounts are of money here: where the program passes nothing, Chromium shows them.
var amounts = regexp.MustCompile(`\$[1-9][.,]?[0-9]`)

// Chromium loads the extensions whose messages the reader takes, and fills in what the reader finds.
func TestChromium(t *testing.T) {
	t.Parallel()
	browser := programtest.Script(t, "testdata/chrome.mjs", "node", "-e", `const version = child_process.execFileSync(
		'chromium', ['--version']).toString(); if (+/\d+/.exec(version)[0] < 130) throw version + 'loads no extensions'`)
	names := []string{"user", "n_1", "a@b"}
	texts := samples(t, []string{"a", " ", "$USER$", "$user$", "$User$", "$n_1$", "$N_1$", "$a@b$", "$other$", "$1", "$2", "$9", "$0",
		"$1$", "$$", "$", "$$$", "$ $", "a$", "$10", "$1.50", "$5,00", "US$", "$@@ui_locale$", "$é$", "$a-b$", "%", "{0}", "é", "\\$1"}, 5)
	if n := len(texts); n < 20000 { // a browser takes milliseconds for each
		texts = append(texts[:n/8:n/8], texts[n/2:n/2+n/8]...)
	}
	for i, s := range texts {
		texts[i] = amounts.ReplaceAllLiteralString(s, " EUR 5")
	}
	var answers []found
	browser.Question(t, map[string]any{"texts": texts, "names": names}, &answers)
	compare(t, texts, answers, func(s string) Text { return Read(programs.Extension, s, Options{Names: names}) })
}

// base64Lines are texts in lines of their own.
func base64Lines(texts []string) []string {
	lines := make([]string, len(texts))
	for i, s := range texts {
		lines[i] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	return lines
}

// MessageFormat of Java refuses what the reader refuses, and shows the arguments that it finds.
func TestJava(t *testing.T) {
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no javac here")
	}
	texts := samples(t, whole[programs.MessageFormat], 4)
	java := programtest.Start(t, exec.Command("java", "-XX:TieredStopAtLevel=1", "testdata/Judge.java"))
	answers := java.Ask(t, base64Lines(texts))
	refused := make([]string, len(texts))
	otherArguments := 0
	for i, answer := range answers {
		why, is := strings.CutPrefix(answer, "refuses ")
		if is {
			refused[i] = why
			continue
		}
		var shown []string
		for _, a := range Read(programs.MessageFormat, texts[i], Options{}).Arguments {
			if !slices.Contains(shown, a.Name) && a.Type != "choice" {
				shown = append(shown, a.Name)
			}
		}
		slices.SortFunc(shown, func(a, b string) int { x, _ := strconv.Atoi(a); y, _ := strconv.Atoi(b); return x - y })
		want := strings.Trim(strings.TrimPrefix(answer, "shows "), "[]")
		if strings.Join(shown, ", ") != want && !strings.Contains(texts[i], "choice") {
			if otherArguments++; otherArguments < 10 {
				t.Errorf("%q: Java shows %s, here %v", texts[i], want, shown)
			}
		}
	}
	agree(t, texts, refused, func(s string) []string { return Read(programs.MessageFormat, s, Options{}).Faults })
}

// bracesInFormat are those which versions of .NET read otherwise than others.
var bracesInFormat = regexp.MustCompile(`:[^{}]*(\{\{|\}\})`)

// String.Format of .NET refuses what the reader refuses, and shows the arguments that it finds.
func TestMono(t *testing.T) {
	program := filepath.Join(t.TempDir(), "judge.exe")
	if out, err := exec.Command("mcs", "-out:"+program, "testdata/Judge.cs").CombinedOutput(); err != nil {
		t.Skipf("no compiler of C# (mono-mcs): %v: %s", err, out)
	}
	texts := samples(t, whole[programs.Composite], 5)
	answers := make([]found, len(texts))
	for i, answer := range programtest.Start(t, exec.Command("mono", program)).Ask(t, base64Lines(texts)) {
		why, refused := strings.CutPrefix(answer, "refuses ")
		switch {
		case bracesInFormat.MatchString(texts[i]):
			texts[i], answers[i].Names = "{0}", []string{"0"}
		case refused:
			answers[i].Refused = why
		default:
			answers[i].Names = strings.Fields(answer)[1:]
		}
	}
	compare(t, texts, answers, func(s string) Text { return Read(programs.Composite, s, Options{}) })
}

// PHP's intl, which Symfony formats messages with, refuses what the reader refuses.
func TestPHP(t *testing.T) {
	php := programtest.Script(t, "testdata/judge.php", "php", "-r", "exit((int) !class_exists('MessageFormatter'));")
	from := slices.DeleteFunc(slices.Clone(whole[programs.FormatJS]), func(s string) bool {
		return strings.ContainsAny(s, "<") || strings.Contains(s, "::")
	})
	var texts, refused []string
	drawn := samples(t, from, 5)
	for i, why := range php.Ask(t, base64Lines(drawn)) {
		if !strings.Contains(why, "U_UNEXPECTED_TOKEN") { // a pattern of numbers, behind which PHP looks at nothing
			texts, refused = append(texts, drawn[i]), append(refused, why)
		}
	}
	agree(t, texts, refused, func(s string) []string { return Read(programs.MessageICU, s, Options{}).Faults })
}

var lineOf = regexp.MustCompile(`strings\.xml:(\d+): error: multiple substitutions`)

// The resource compiler of Android refuses the strings that Substitutions refuses.
func TestAapt2(t *testing.T) {
	if _, err := exec.LookPath("aapt2"); err != nil {
		t.Skip("no aapt2 here")
	}
	from := []string{"a", " ", "%s", "%d", "%1$s", "%2$s", "%1$d", "%", "%%", "% d", "%n", "%5d", "%-5s", "%<s", "%1s", "%.2f",
		"%,d", "% ", "10 %", "%D", "%k", "%m", "%M", "%y", "%Z", "%H", "%1$D", "x"}
	for c := byte('A'); c <= 'z'; c++ {
		if isLetter(c) {
			from = append(from, "%"+string(c))
		}
	}
	const together = 20 // of which it reports all
	texts := samples(t, from, 5)
	refused := make([]string, len(texts))
	for at := 0; at < len(texts); at += together {
		var file strings.Builder
		file.WriteString("<resources>\n")
		for i, s := range texts[at : at+together] {
			fmt.Fprintf(&file, "<string name=\"a%d\">", i)
			escaped := strings.NewReplacer("'", `\'`, "\n", `\n`).Replace(s)
			if err := xml.EscapeText(&file, []byte("x"+escaped+"x")); err != nil {
				t.Fatal(err)
			}
			file.WriteString("</string>\n")
		}
		file.WriteString("</resources>\n")
		dir := filepath.Join(t.TempDir(), "values")
		path := filepath.Join(dir, "strings.xml")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command("aapt2", "compile", "-o", t.TempDir(), path).CombinedOutput()
		for line := range strings.SplitSeq(string(out), "\n") {
			if m := lineOf.FindStringSubmatch(line); m != nil {
				n, _ := strconv.Atoi(m[1])
				refused[at+n-2] = line
			}
		}
	}
	agree(t, texts, refused, func(s string) []string {
		if why := Substitutions("x" + s + "x"); why != "" {
			return []string{why}
		}
		return nil
	})
}
