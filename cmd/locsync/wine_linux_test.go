package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

const (
	// wine64 is Debian's, which is not in PATH.
	wine64 = "/usr/lib/wine/wine64"
	// winePatience is after how long a program that Wine runs hangs.
	winePatience = 2 * time.Minute
)

// wine runs the program for Windows. Its git.exe has the git of this machine do the work.
type wine struct {
	*testing.T
	root, program string // the folder that is the drive R:
	drives, dir   string
	env           []string
}

func newWine(t *testing.T) *wine {
	t.Helper()
	if testing.Short() {
		t.Skip("programs for Windows are built and started for it")
	}
	const compiler = "x86_64-w64-mingw32-gcc"
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("there is no " + compiler + " here")
	}
	if _, err := os.Stat(wine64); err != nil {
		t.Skip("there is no Wine here")
	}
	dir := t.TempDir()
	w := &wine{T: t, root: filepath.Join(dir, "drive"), program: filepath.Join(dir, "bin", "locsync.exe")}
	for _, folder := range []string{w.root, filepath.Dir(w.program)} {
		w.check(os.MkdirAll(folder, 0o755))
	}
	windows := []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}
	run(t, "", windows, "go", "build", "-o", w.program, ".")
	for _, helper := range []string{"git", "hold"} {
		run(t, "", windows, "go", "build", "-o", filepath.Join(dir, "bin", helper+".exe"), "./testdata/wine/"+helper+".go")
	}
	prefix := filepath.Join(dir, "prefix")
	w.drives = filepath.Join(prefix, "dosdevices")
	w.env = []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "HOME=" + dir,
		"WINEPATH=Z:" + strings.ReplaceAll(filepath.Join(dir, "bin"), "/", `\`),
		"GIT_AT=" + w.serveGit(), "PATH=" + os.Getenv("PATH"), "TEMP=R:\\", "TMP=R:\\"}
	w.start("wineboot", "--init")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), winePatience)
		defer cancel()
		stop := exec.CommandContext(ctx, "/usr/lib/wine/wineserver", "--kill", "--wait")
		stop.Env = w.env
		_ = stop.Run() // of this prefix only; it may have ended
	})
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	run(t, "", nil, compiler, "-shared", "-o", filepath.Join(system, "bcryptprimitives.dll"),
		"testdata/wine/prng.c", "-ladvapi32")
	w.check(os.Symlink(w.root, filepath.Join(w.drives, "r:")))
	return w
}

func (w *wine) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// command is a program that Wine runs, which ends with the test or when it hangs.
func (w *wine) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(w.Context(), winePatience)
	w.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, wine64, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = cmp.Or(w.dir, w.root), w.env, time.Second
	return cmd
}

func (w *wine) start(args ...string) (string, int) {
	w.Helper()
	cmd := w.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// locsync is one run of the program, which ends with a code.
func (w *wine) locsync(code int, args ...string) string {
	w.Helper()
	out, got := w.start(append([]string{w.program}, args...)...)
	if got != code {
		w.Fatalf("locsync %q: exit code %d, want %d:\n%s", args, got, code, out)
	}
	return out
}

// serveGit runs git for git.exe, with paths as they are here.
func (w *wine) serveGit() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.check(err)
	w.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.git(conn)
		}
	}()
	return listener.Addr().String()
}

// gitReply is a piece of what git prints, or its exit code; see testdata/wine/git.go.
type gitReply struct {
	Data     []byte
	Err, End bool
	Code     int
}

// gitOutput sends what git prints, with the folder as the drive.
type gitOutput struct {
	*gob.Encoder
	root string
	err  bool
}

func (o gitOutput) Write(data []byte) (int, error) {
	return len(data), o.Encode(gitReply{Data: bytes.ReplaceAll(data, []byte(o.root), []byte("R:")), Err: o.err})
}

// onDrive begins a path with a drive.
var onDrive = regexp.MustCompile(`(?i)\b[a-z]:[\\/]`)

// local is a text in which paths of Windows are those of this machine.
func (w *wine) local(text string) string {
	if onDrive.MatchString(text) {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	return onDrive.ReplaceAllStringFunc(text, func(found string) string {
		folder, err := filepath.EvalSymlinks(filepath.Join(w.drives, strings.ToLower(found[:2])))
		if err != nil {
			return found
		}
		return strings.TrimSuffix(folder, "/") + "/"
	})
}

func (w *wine) git(conn net.Conn) {
	defer conn.Close()
	var call struct {
		Dir       string
		Args, Env []string
	}
	calls, replies := gob.NewDecoder(conn), gob.NewEncoder(conn)
	if calls.Decode(&call) != nil {
		return
	}
	args := slices.Clone(call.Args)
	for i := range args {
		args[i] = w.local(args[i])
	}
	ctx, cancel := context.WithTimeout(w.Context(), winePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = w.local(strings.TrimSuffix(call.Dir, `\`) + `\`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.root, "GIT_CONFIG_NOSYSTEM=1"}
	for _, variable := range call.Env {
		if strings.HasPrefix(variable, "GIT_") {
			cmd.Env = append(cmd.Env, w.local(variable))
		}
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	go func() {
		for {
			var data []byte
			if calls.Decode(&data) != nil || len(data) == 0 {
				_ = input.Close()
				return
			}
			_, _ = input.Write(data)
		}
	}()
	cmd.Stdout, cmd.Stderr = gitOutput{replies, w.root, false}, gitOutput{replies, w.root, true}
	_ = cmd.Run() // the code says it
	_ = replies.Encode(gitReply{End: true, Code: cmd.ProcessState.ExitCode()})
	_, _ = io.Copy(io.Discard, conn) // a connection with unread input would be reset, and the code lost
}

// On Windows: a repository with CRLF on a drive of its own is set up, sent to a service that runs there too, and gets
// its translations. A name that Windows does not have is no file; one that another program holds is sent afterwards.
func TestWine(t *testing.T) {
	gittest.Need(t)
	w := newWine(t)
	repo := filepath.Join(w.root, "app")
	gittest.Git(t, w.root, "init", "--quiet", "-b", "main", repo)
	gittest.Git(t, repo, "config", "core.autocrlf", "false")
	gittest.Commit(t, repo, "texts", map[string]string{
		"locales/en.json": "{\r\n  \"a\": \"One\",\r\n  \"b\": \"Hello {name}\"\r\n}\r\n",
		"locales/de.json": "{\r\n  \"a\": \"Eins\"\r\n}\r\n"})
	w.dir = repo
	says := func(out string, all ...string) {
		t.Helper()
		for _, want := range all {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in:\n%s", want, out)
			}
		}
	}
	says(w.locsync(0, "version"), "windows/amd64")
	says(w.locsync(0, "init"), `Wrote R:\app\locsync.toml`, "locales/en.json -> locales/{LANGUAGE}.json")
	toml := filepath.Join(repo, "locsync.toml")
	text := strings.NewReplacer(`# completion_state = "final" `, `completion_state = "draft" `, `url = "embedded"`,
		fmt.Sprintf("url = %q\naccount_id = \"team\"\napi_key_file = 'R:\\key'", w.service())).Replace(readPage(t, toml))
	w.check(os.WriteFile(toml, []byte(strings.ReplaceAll(text, "\n", "\r\n")), 0o644))
	says(w.locsync(2, "check"), `R:\app\locsync.toml:11: project.id`)
	w.locsync(0, "project", "create", "--write")
	says(w.locsync(0, "sync"), "locales/de.json (de): 1 added")
	says(w.locsync(0, "status"), "everything is pushed", "de        2     0        0")
	const want = "{\r\n  \"a\": \"Eins\",\r\n  \"b\": \"[de Ĥéļļö {name}]\"\r\n}"
	if got := gittest.Git(t, repo, "show", "l10n:locales/de.json"); got != want {
		t.Errorf("the translations are %q, want %q", got, want)
	}
	text = readPage(t, toml)
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Errorf("lines of the configuration are not alike: %q", text)
	}
	for _, folder := range []string{"con", "other"} {
		gittest.Commit(t, repo, folder, map[string]string{folder + "/en.json": `{"x": "X"}`})
		text += fmt.Sprintf("[[project.files]]\nsource = \"%[1]s/en.json\"\noutput = \"%[1]s/{LANGUAGE}.json\"\n", folder)
	}
	w.check(os.WriteFile(toml, []byte(text), 0o644))
	says(w.locsync(0, "check"), `no file matches "con/en.json"`, "3 files, 3 keys in the source")
	release := w.hold(`R:\app\other\en.json`)
	says(w.locsync(1, "push"), "other/en.json: Sharing violation")
	release()
	says(w.locsync(0, "push"), "other/en.json (en): x")
}

// hold keeps a file from all other programs, until it is released.
func (w *wine) hold(file string) (release func()) {
	cmd := w.command(filepath.Join(filepath.Dir(w.program), "hold.exe"), file)
	in, err := cmd.StdinPipe()
	w.check(err)
	out, err := cmd.StdoutPipe()
	w.check(err)
	w.check(cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if !strings.HasPrefix(line, "held") {
		w.Fatalf("%s: %q, %v", file, line, err)
	}
	return func() {
		w.check(in.Close())
		w.check(cmd.Wait())
	}
}

// service is a translation service, the program as well, and where it is.
func (w *wine) service() string {
	w.check(os.WriteFile(filepath.Join(w.root, "key"), []byte("a-key-of-a-team\r\n"), 0o600))
	cmd := w.command(w.program, "service", "--listen", "127.0.0.1:0", "--data", `R:\service`,
		"--account", "team", "--api-key-file", `R:\key`, "--pseudo", "--rate-limit", "0")
	out, err := cmd.StdoutPipe()
	w.check(err)
	w.check(cmd.Start())
	w.Cleanup(func() { _ = cmd.Wait() }) // it serves until the test ends
	line, err := bufio.NewReader(out).ReadString('\n')
	w.check(err)
	_, at, _ := strings.Cut(strings.TrimSpace(line), "listening on ")
	return at
}
