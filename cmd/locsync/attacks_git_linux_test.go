package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// hostile makes a bare repository whose branch main has what a stream of git fast-import says, beside one ordinary
// source file.
func (v *victim) hostile(name, stream string) string {
	v.Helper()
	dir := filepath.Join(v.dir, name)
	v.git("init", "-q", "--bare", "-b", "main", dir)
	begin := "commit refs/heads/main\ncommitter a <a@localhost> 1700000000 +0000\ndata 1\nx\n" +
		"M 100644 inline locales/en/app.json\n" + inline(`{"greeting": "Hello"}`)
	v.gitReads(begin+stream+"\n", "-C", dir, "fast-import", "--quiet", "--force")
	return dir
}

func inline(content string) string { return fmt.Sprintf("data %d\n%s\n", len(content), content) }

// gitReads is git with a standard input.
func (v *victim) gitReads(input string, args ...string) string {
	v.Helper()
	cmd := v.command("git", args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		v.Fatalf("git %v: %v\n%.1000s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// nestedTree, bombTree, starsTree and dotsTree are repositories that take few bytes to send.
func (v *victim) nestedTree(depth int) string {
	return v.hostile("nested.git", "M 100644 inline locales/"+strings.Repeat("a/",
		depth)+"app.json\n"+inline(`{"greeting": "Hello"}`))
}

// bombTree has ten folders, of which each is the same one, ten levels deep: ten thousand million files in eleven trees.
func (v *victim) bombTree() string {
	dir := v.hostile("bomb.git", "")
	blob := v.gitReads(`{"greeting": "Hello"}`, "-C", dir, "hash-object", "-w", "--stdin")
	entry := "100644 blob " + blob + "\tapp.json\n"
	for range 10 {
		tree := v.gitReads(entry, "-C", dir, "mktree")
		var all strings.Builder
		for i := range 10 {
			fmt.Fprintf(&all, "040000 tree %s\t%d\n", tree, i)
		}
		entry = all.String()
	}
	v.become(dir, v.gitReads(entry, "-C", dir, "mktree"))
	return dir
}

// become puts a tree beside what main has.
func (v *victim) become(dir, tree string) {
	v.Helper()
	old := v.git("-C", dir, "ls-tree", "main")
	root := v.gitReads(old+"\n040000 tree "+tree+"\tx\n", "-C", dir, "mktree")
	v.git("-C", dir, "update-ref", "refs/heads/main", v.git("-C", dir, "commit-tree", "-m", "y", "-p", "main", root))
}

func (v *victim) starsTree() string {
	patterns := "locales/" + strings.Repeat("*a", 14) + "*b/app.json text\n" + strings.Repeat("**/*a", 40) + " -text\n"
	return v.hostile("stars.git", "M 100644 inline .gitattributes\n"+inline(patterns)+
		"M 100644 inline locales/"+strings.Repeat("a", 65)+"/app.json\n"+inline(`{"greeting": "Hello"}`))
}

// dotsTree has the entries "." and "..", which git does not make.
func (v *victim) dotsTree() string {
	dir := v.hostile("dots.git", "")
	blob := v.gitReads(`{"greeting": "Hello"}`, "-C", dir, "hash-object", "-w", "--stdin")
	tree := v.gitReads("100644 blob "+blob+"\tapp.json\n", "-C", dir, "mktree")
	raw := func(id string) string {
		var b strings.Builder
		for i := 0; i < len(id); i += 2 {
			var c byte
			_, _ = fmt.Sscanf(id[i:i+2], "%02x", &c) // git says it in hexadecimal
			b.WriteByte(c)
		}
		return b.String()
	}
	for _, name := range []string{".", ".."} {
		tree = v.gitReads("40000 "+name+"\x00"+raw(tree), "-C", dir, "hash-object", "-w", "-t",
			"tree", "--literally", "--stdin")
	}
	v.become(dir, tree)
	return dir
}

// Trees and attributes that are small to send and endless to read end as a problem of their project, or cost little.
func TestBoundOfTrees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hostile func(*victim) string
		code    int // of check
		soak    bool
	}{
		"nested": {func(v *victim) string { return v.nestedTree(30_000) }, 3, true},
		"bomb":   {(*victim).bombTree, 3, true},
		"stars":  {(*victim).starsTree, 0, false},
		"dots":   {(*victim).dotsTree, 3, false},
	} {
		if c.soak && !soaking {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			dir := c.hostile(v)
			v.says("GET /v1/project/import-result/i1", `{"status": "completed", "keysCreated": 1}`)
			v.says("GET /v1/document/export/e1", "{}\n")
			v.file("locsync.toml", strings.NewReplacer(`repository = "."`, `repository = "`+filepath.Base(dir)+`"`,
				`locales/en/*.json`, `**/app.json`,
				`locales/{LANGUAGE}/{NAME}.json`, `{DIR}/{NAME}.{LANGUAGE}.json`, `[project.pull]`,
				"[project.push]\nsource = \"main\"\n[project.pull]").
				Replace(v.text("locsync.toml")))
			code, said := v.locsync("check")
			expect(t, code, said, c.code)
			for _, command := range []string{"push", "pull"} {
				if code, _ := v.locsync(command); code == 2 || code == 0 != (c.code == 0) {
					t.Errorf("%s ends with %d", command, code)
				}
			}
		})
	}
}
