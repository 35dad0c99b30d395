package properties

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// loader prints what java.util.Properties loads from each file named: key and text in the units of UTF-16 as numbers,
// or "refused".
const loader = `
import java.io.*; import java.nio.charset.*; import java.nio.file.*; import java.util.*;
public class Loader {
  static String units(String s) {
    StringBuilder b = new StringBuilder("u");
    for (char c : s.toCharArray()) b.append(Integer.toHexString(c)).append('.');
    return b.toString();
  }
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      Charset charset = file.endsWith("latin1") ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
      Properties p = new Properties();
      TreeSet<String> out = new TreeSet<>();
      try (Reader r = Files.newBufferedReader(Path.of(file), charset)) {
        p.load(r);
        for (String key : p.stringPropertyNames()) out.add(units(key) + '=' + units(p.getProperty(key)));
      } catch (IllegalArgumentException e) {
        out.add("refused");
      }
      System.out.println(String.join(" ", out));
    }
  }
}`

func units(s string) string {
	var b strings.Builder
	b.WriteString("u")
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteString(strconv.FormatInt(int64(u), 16) + ".")
	}
	return b.String()
}

// Java itself reads the examples and the edge cases as the grammar does.
func TestReadsAsJava(t *testing.T) {
	resourcetest.Long(t)
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("java is not installed")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "Loader.java")
	if err := os.WriteFile(program, []byte(loader), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{program}
	var sources []string
	add := func(src string) {
		name := filepath.Join(dir, strconv.Itoa(len(sources)))
		if f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src)); err == nil && isLatin1(f) {
			name += ".latin1"
		}
		if err := os.WriteFile(name, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		args, sources = append(args, name), append(sources, src)
	}
	for _, src := range examples {
		add(src)
	}
	for _, file := range edgeFiles(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		add(string(src))
	}
	for _, text := range hard { // what is written, Java reads
		add(rewritten(t, parse(t, "a=x\n"), nil, set("a", text), set(text, "y"), set("é", text)))
		add(rewritten(t, parse(t, "a x\n\xe9 z\n"), nil, set("a", text), set(text, "y"), set("é", text)))
	}
	out, err := exec.Command(java, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	for i, src := range sources {
		if strings.HasPrefix(src, mark) || strings.Contains(src, "\\ud83d\n") || strings.Contains(src, "\\ud83d=") {
			continue // a mark would be part of the first key; half a character is left alone
		}
		if got := asJava(src); got != lines[i] {
			t.Errorf("%q\nhere %s\nJava %s", src, got, lines[i])
		}
	}
}

// asJava is what loader prints of a file, by the grammar.
func asJava(src string) string {
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		return "refused"
	}
	texts := make(map[string]string)
	for e := range f.Entries() {
		texts[units(e.Key)] = units(e.Text)
	}
	var all []string
	for key, text := range texts {
		all = append(all, key+"="+text)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
