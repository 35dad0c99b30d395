package text

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
)

// pieces are what texts for a reader are made of.
func pieces(r programs.Reader) []string {
	always := []string{"a", " ", "Datei", "50 ", "%", "%%", "{", "}", "'", "x"}
	of := map[programs.Reader]string{
		programs.CFormat: "%s|%d|%u|%ld|%lld|%1$s|%2$d|%2$s|%1$d|%f|%.2f|%5d|%-5s|%*d|%.*f|%'d|%c|%lc|%p|%x|%5%|%m|%hhd|" +
			"%zu|% d|%S|%n|%<PRIu64>|%<PRId32>|%Lf|%1$*2$d|%3$s|%@|%q|%0$d",
		programs.ObjC:       "%@|%d|%s|%1$@|%2$@|%1$d|%ld|%f|%u|%2$d",
		programs.JavaPrintf: "%s|%d|%1$s|%2$d|%2$s|%n|%,d|%(d|%05d|%-5s|%tY|%1$tm|%<s|%x|%c|%.2f|%b|%+d|%#x|%.3s|%,s|%tQ|%tv|%e|%a",
		programs.Python:     "%s|%d|%(name)s|%(n)d|%i|%r|%f|%.0s|%5d|%*d|%c|%(name)d|%(a(b))s|% d|%-5s|%%|%(x|%ld|%y|%(n)i",
		programs.PHP:        "%s|%d|%1$s|%2$d|%2$s|%'.10d|% s|%05d|%.2f|%u|%b|%c|%ld|%x|%1$d|%5%|%-5s|%F|%i",
		programs.Perl:       "%s|%d|%1$s|%2$d|%2$s|%vd|%*vd|%ld|%lld|%hd|%c|%x|%f|%lf|%*d|%.*f|%p|%n|%D|%U|%Vd|%_|%1$d|%qd|%I64d",
		programs.Ruby: "%s|%d|%1$s|%2$d|%2$s|%<n>d|%<>d|%{}|%2$%|%{name}|%{n}|%<name>s|%5d|%-5s|%*d|%.2f|%c|%p|%x|%b|%1$d|%<n>5.2f|%<x|%{x|%5-d|" +
			"%.2.3f",
		programs.Smalltalk: "%1|%2|%3|%0|%a",
		programs.YCP:       "%1|%2|%3|%0|%a",
		programs.Pascal:    "%s|%d|%0:s|%1:d|%1:s|%-5d|%.2f|%5.3f|%u|%x|%p|%m|%D|%:s|%2:s|%5%|%e",
		programs.GCC: "%s|%d|%qs|%ld|%wd|%lld|%u|%<|%>|%m|%D|%+D|%qE|%.3s|%.*s|%1$s|%2$d|%2$s|%1$qs|%c|%p|%J|%#x|%i|%H|%T|%qqs|" +
			"%5d|%'",
		programs.GFortran:   "%s|%d|%ld|%C|%L|%1$s|%2$d|%2$s|%u|%lu|%c|%i|%1$L|%e|%lc",
		programs.Lua:        "%s|%d|%q|%c|%5d|%.2f|%x|%i|%u|%-5d|%1$s|%a",
		programs.JavaScript: "%s|%d|%1$s|%2$d|%2$s|%j|%f|%c|%x|%u|%1$d|%5d|%I|%Id",
		programs.Awk:        "%s|%d|%1$s|%2$d|%2$s|%c|%*d|%x|%u|%f|%1$*2$d|%i",
		programs.Tcl:        "%s|%d|%1$s|%2$d|%2$s|%c|%*d|%x|%u|%f|%ld|%hd|%i",
		programs.Elisp:      "%s|%d|%1$s|%2$d|%2$s|%c|%*d|%x|%S|%f|%i",
		programs.Librep:     "%s|%d|%1$s|%2$d|%2$s|%c|%x|%S|%^s|%5d",
		programs.Boost:      "%1%|%2%|%s|%d|%1$s|%|1$d||%|5||%|s||%t|%|30T-||%c|%x|%3%|%hd|%|1$s|%f",
		programs.Qt:         "%1|%2|%3|%L1|%10|%11|%01|%n|%L",
		programs.QtPlural:   "%n|%Ln|%1",
		programs.KDE:        "%1|%2|%3|%4|%10|%0",
		programs.KUIT:       "%1|%2|%3|%4|%10|<b>|</b>|<b>x</b>|<email address='x'>|</email>|<a|&lt;|&|<br/>|<|>|<x>|</x>",
		programs.Scheme:     "~a|~s|~d|~D|~%|~~|~A|~c|~x|~b|~o|~&",
		programs.Lisp:       "~a|~s|~d|~D|~%|~~|~A|~c|~x|~b|~o|~&",
		programs.Shell:      "$A|$B|${A}|${B}|$1|$$|${A-b}|${|$a_b",
		programs.CSharp:     "{0}|{1}|{2}|{0:N2}|{1,5}|{1,-5:x}|{ 0 }|{name}|{{|}}|{0",
		programs.JavaMessage: "{0,number,'#'0}|{0,number,'#}|{0,choice,0#a'b'|" +
			"{0}|{1}|{0,number}|{1,date}|{0,number,#.##}|{0,number,integer}|{1,date,short}|{0,choice,0#a|1#b}|" +
			"{name}|'{0}'|''|{0,numero}|{0|{1,time,HH:mm}|{0, number}|{0,number,abc}|{ 0 }|{0,choice,0#x{1}|1<y}",
		programs.PythonBrace: "{0}|{name}|{name.x}|{a[0]}|{name:>10}|{a!r}|{}|{ name }|{{|}}|{0:.2f}|{name:{width}}|{name:{w}x}|{n:d}|{a[b]}",
		programs.PerlBrace:   "{name}|{n}|{ x }|{1}|{a_b}|{name",
	}
	extra := strings.Split(of[r], "|")
	if r == programs.Boost { // which has bars in its placeholders
		extra = []string{"%1%", "%2%", "%s", "%d", "%1$s", "%|1$d|", "%|5|", "%|s|", "%t", "%|30T-|", "%c", "%x", "%3%",
			"%hd", "%|1$s", "%f"}
	}
	all := append([]string{}, always...)
	for range 4 {
		all = append(all, extra...)
	}
	return all
}

// made is a random text, and changed one that was made from another.
func made(rnd *rand.Rand, from []string) string {
	var b strings.Builder
	for range 1 + rnd.IntN(5) {
		b.WriteString(from[rnd.IntN(len(from))])
	}
	return b.String()
}

func changed(rnd *rand.Rand, s string, from []string) string {
	switch rnd.IntN(8) {
	case 0:
		return made(rnd, from)
	case 1:
		return s + from[rnd.IntN(len(from))]
	case 2:
		return from[rnd.IntN(len(from))] + s
	case 3, 4: // a piece goes, or comes in the place of another
		for _, piece := range from[10:] {
			if strings.Contains(s, piece) && rnd.IntN(2) == 0 {
				return strings.Replace(s, piece, []string{"", from[rnd.IntN(len(from))]}[rnd.IntN(2)], 1)
			}
		}
	case 5:
		if len(s) > 1 {
			i := rnd.IntN(len(s))
			return s[:i] + s[i+1:]
		}
	}
	return s + "x"
}

// entry is what is put into a file for msgfmt.
type entry struct{ source, text string }

// few says that it is put there as the form for one of a plural.
func (e entry) few() bool { return len(e.source)%3 == 0 }

var reported = regexp.MustCompile(`^[^:]+:(\d+): (.*)`)

// otherwise are texts that msgfmt judges otherwise, and why this package does not follow.
var otherwise = map[programs.Reader]func(e entry, found []Difference) bool{
	// Directives that choose, repeat or pad are not read.
	programs.Scheme: notPlain, programs.Lisp: notPlain,
	// It compares how many there are, and not which, and takes %<n>5.% beside %d. Ruby raises an ArgumentError.
	programs.Ruby: func(e entry, found []Difference) bool {
		return len(found) > 0 && (found[0].Fault == "" || namedPercent.MatchString(e.text))
	},
	// In the form for one msgfmt takes what the source does not have. Python raises a KeyError.
	programs.PythonBrace: func(e entry, found []Difference) bool { return e.few() && found != nil && found[0].Fault == "" },
	// In the form for one that lacks an argument before a %j, it looks at the type of another one, which may not be there.
	programs.JavaScript: func(e entry, _ []Difference) bool { return e.few() && strings.Contains(e.text, "$j") },
	// It gives %C a number, so that with numbers beside it most texts are refused. GCC passes it in none.
	programs.GFortran: func(e entry, _ []Difference) bool {
		return strings.Contains(e.source+e.text, "C") && strings.Contains(e.source+e.text, "$")
	},
}

var namedPercent = regexp.MustCompile(`%<[^>]*>[0-9.]*%`)

// notPlain are texts with directives that a reader does not know, and, of forms for one, those with more arguments or of
// other types: msgfmt takes them, and the program fails.
func notPlain(e entry, found []Difference) bool {
	if e.few() && len(found) > 0 {
		return true
	}
	faults := func(s string) bool { return len(readTilde(s, Options{}).Faults) > 0 }
	return faults(e.source) || faults(e.text)
}

// Readers agree with msgfmt -c on what is refused, for texts with one form and for forms of a plural.
func TestMsgfmt(t *testing.T) {
	if _, err := exec.LookPath("msgfmt"); err != nil {
		t.Skip("no msgfmt here (gettext)")
	}
	for r := range readers {
		if !r.Gettext() {
			continue
		}
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			rnd := drawn(t)
			var all []entry
			var po strings.Builder
			po.WriteString("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\nProject-Id-Version: x\\n" +
				"PO-Revision-Date: 2020-01-01 00:00+0000\\nLast-Translator: x <a@b.de>\\nLanguage-Team: x\\n" +
				"Language: de\\nMIME-Version: 1.0\\nContent-Transfer-Encoding: 8bit\\n\"\n\n")
			from := pieces(r)
			for len(all) < judged {
				s := made(rnd, from)
				e := entry{s, changed(rnd, s, from)}
				if rnd.IntN(4) == 0 {
					e.text = slipped(rnd, e.text)
				}
				if strings.Contains(e.text, "\n") || e.text == "" {
					continue
				}
				all = append(all, e)
				fmt.Fprintf(&po, "#, %s-format\nmsgctxt \"%d\"\n", r, len(all))
				if e.few() {
					fmt.Fprintf(&po, "msgid \"%d\" msgid_plural %s\nmsgstr[0] %s msgstr[1] %[2]s\n\n", len(all), quoted(e.source),
						quoted(e.text))
				} else {
					fmt.Fprintf(&po, "msgid %s\nmsgstr %s\n\n", quoted(e.source), quoted(e.text))
				}
			}
			first := strings.Count(po.String()[:strings.Index(po.String(), "#,")], "\n") + 1
			file := filepath.Join(t.TempDir(), "x.po")
			if err := os.WriteFile(file, []byte(po.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("msgfmt", "--check-format", "-o", os.DevNull, file)
			cmd.Env = append(os.Environ(), "LC_ALL=C")
			out, _ := cmd.CombinedOutput()
			if !cmd.ProcessState.Exited() {
				t.Fatalf("msgfmt: %v", cmd.ProcessState)
			}
			refused := make(map[int]string)
			for line := range strings.SplitSeq(string(out), "\n") {
				if m := reported.FindStringSubmatch(line); m != nil {
					n, _ := strconv.Atoi(m[1])
					refused[(n-first)/5] = m[2]
				}
			}
			if len(refused) < judged/20 || len(refused) > judged*9/10 {
				t.Errorf("msgfmt refused %d of %d texts; they show nothing", len(refused), judged)
			}
			wrong, known := 0, 0
			for i, e := range all {
				found := Differences(r, Pair{Source: Read(r, e.source, Options{}), Translation: Read(r, e.text, Options{}), Few: e.few()})
				if why := refused[i]; (why != "") != (len(found) > 0) {
					if skip := otherwise[r]; skip != nil && skip(e, found) {
						known++
						continue
					}
					if wrong++; wrong <= 10 {
						t.Errorf("%q -> %q: msgfmt: %q, here %v", e.source, e.text, why, found)
					}
				}
			}
			t.Logf("%d texts, %d refused, %d judged otherwise for a reason, %d wrong", judged, len(refused), known, wrong)
		})
	}
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
