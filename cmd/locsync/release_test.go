package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/gitops/gittest"
)

// machine is this one, as archives and Node name it; ok is false where no release is built for it or its tools are
// missing.
func machine(t *testing.T, tools ...string) (archive, node string) {
	t.Helper()
	cpu := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if runtime.GOOS != "linux" || cpu == "" {
		t.Skip("releases are tried on Linux")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	return "linux_" + runtime.GOARCH, "linux-" + cpu
}

// signer makes a key pair and returns the private key's file and the public key.
func signer(t *testing.T) (file, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key")
	run(t, "", nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file)
	text, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(text))
}

func run(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// released is a release of a program that only prints what it is called with, as a server has it.
func released(t *testing.T, version, archive, key string) (folder string) {
	t.Helper()
	root := t.TempDir()
	folder = filepath.Join(root, "download", "v"+version)
	name := "locsync_" + version + "_" + archive
	program := filepath.Join(root, name, "locsync")
	for _, dir := range []string{folder, filepath.Dir(program)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "#!/bin/sh\necho \"version " + version + "\"\nfor a; do echo \"($a)\"; done\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, root, nil, "tar", "-czf", filepath.Join(folder, name+".tar.gz"), name)
	run(t, folder, nil, "sh", "-c", "sha256sum locsync_* > SHA256SUMS")
	if key != "" {
		run(t, folder, nil, "ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "file", "SHA256SUMS")
	}
	if err := os.MkdirAll(filepath.Join(root, "latest"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, filepath.Join(root, "latest", "download")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func releasesAt(folder string) string { return "file://" + filepath.Dir(filepath.Dir(folder)) }

// What CI jobs install is what was released and, where a key is given, signed; of anything else nothing is installed.
func TestInstall(t *testing.T) {
	t.Parallel()
	archive, _ := machine(t, "curl", "ssh-keygen", "tar", "sha256sum")
	key, public := signer(t)
	_, stranger := signer(t)
	script := filepath.Join("..", "..", ".github", "actions", "locsync", "install.sh")
	replace := func(file, old, by string) func(folder string) error {
		return func(folder string) error {
			data, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil || !bytes.Contains(data, []byte(old)) {
				return errors.Join(err, fmt.Errorf("%s has no %q", file, old))
			}
			return os.WriteFile(filepath.Join(folder, file), bytes.ReplaceAll(data, []byte(old), []byte(by)), 0o644)
		}
	}
	for name, c := range map[string]struct {
		version, public string
		unsigned        bool
		damage          func(folder string) error
		says            string // "": it is installed
	}{
		"released":        {version: "1.2.3"},
		"signed":          {version: "1.2.3", public: public},
		"the newest":      {version: "latest", public: public},
		"another key":     {version: "1.2.3", public: stranger, says: "(?i)could not verify|no principal matched"},
		"not signed":      {version: "1.2.3", public: public, unsigned: true, says: `SHA256SUMS\.sig|open|[Cc]ould`},
		"no such version": {version: "9.9.9", says: `curl`},
		"checksums of another": {version: "1.2.3", damage: replace("SHA256SUMS", "_1.2.3_", "_1.2.2_"),
			says: "not those of version 1.2.3"},
		"other checksums": {version: "1.2.3", public: public, damage: replace("SHA256SUMS", "  ", "   "),
			says: "(?i)verify|incorrect"},
		"a damaged archive": {version: "1.2.3", public: public, says: "(?i)did NOT match|FAILED",
			damage: func(folder string) error {
				return os.WriteFile(filepath.Join(folder, "locsync_1.2.3_"+archive+".tar.gz"), []byte("other"), 0o644)
			}},
	} {
		signing := key
		if c.unsigned {
			signing = ""
		}
		folder, bin := released(t, "1.2.3", archive, signing), filepath.Join(t.TempDir(), "bin")
		if c.damage != nil {
			if err := c.damage(folder); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", script)
		cmd.Env = append(os.Environ(), "LOCSYNC_VERSION="+c.version, "LOCSYNC_PUBLIC_KEY="+c.public, "LOCSYNC_BIN="+bin,
			"LOCSYNC_RELEASES="+releasesAt(folder))
		out, err := cmd.CombinedOutput()
		_, there := os.Stat(filepath.Join(bin, "locsync"))
		switch {
		case c.says == "" && (err != nil || !strings.Contains(string(out), "version 1.2.3")):
			t.Errorf("%s: %v\n%s", name, err, out)
		case c.says != "" && (err == nil || there == nil || !regexp.MustCompile(c.says).Match(out)):
			t.Errorf("%s: it was installed, or %v\n%s", name, err, out)
		}
	}
}

// Before there is a release, jobs build locsync: from a folder, as the action does, and from a repository's address.
func TestInstallFromSource(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	source := gittest.Init(t, map[string]string{"go.mod": "module example.com/locsync\n\ngo 1.26\n",
		"cmd/locsync/main.go": "package main\n\nfunc main() { println(\"version of the source\") }\n"})
	gittest.Git(t, source, "commit", "--quiet", "--allow-empty", "-m", "source")
	script := filepath.Join("..", "..", ".github", "actions", "locsync", "install.sh")
	for _, from := range []string{source, "file://" + source} {
		bin := filepath.Join(t.TempDir(), "bin")
		out := run(t, "", []string{"LOCSYNC_VERSION=source", "LOCSYNC_SOURCE=" + from, "LOCSYNC_BIN=" + bin}, "sh", script)
		if _, err := os.Stat(filepath.Join(bin, "locsync")); err != nil || !strings.Contains(out, "version of the source") {
			t.Errorf("from %s: %v\n%s", from, err, out)
		}
	}
}

// versionHeading heads the part of the changelog about a release.
var versionHeading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`)

// ofReleases matches what a page says only when there is a release to install, or a name in a registry that is ours.
var ofReleases = regexp.MustCompile(`locsync@(?:latest|v\d)|npm install|brew install|locsync_\d|locsync/v\d|` +
	`[Vv]ersion: v?\d`)

// Pages and CI files say how to install what there is. The changelog is the switch: with the heading of a release,
// README has the text of systemd/package/install.md (LOCSYNC_UPDATE=1 writes it); without one, nothing names a release.
func TestInstallation(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "README.md")
	readme := readPage(t, file)
	before, rest, found := strings.Cut(readme, "\n## Install\n")
	_, after, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("README.md has no section Install")
	}
	if newest := versionHeading.FindStringSubmatch(readPage(t, filepath.Join(root, ".github",
		"CHANGELOG.md"))); newest != nil {
		template := readPage(t, filepath.Join(root, "systemd", "package", "install.md"))
		want := before + "\n## Install\n\n" + strings.ReplaceAll(template, "${VERSION}", newest[1]) + "\n## " + after
		if os.Getenv("LOCSYNC_UPDATE") != "" && readme != want {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if readme != want {
			t.Errorf("README.md does not install version %s; run this test with LOCSYNC_UPDATE=1", newest[1])
		}
		return
	}
	if !strings.Contains(rest, "There is no release yet") || !strings.Contains(rest, "go build ./cmd/locsync") {
		t.Error("README.md does not say that there is no release, or how to build")
	}
	pages := append(pagesForPeople(t), filepath.Join(root, ".github", "actions", "locsync", "action.yml"),
		filepath.Join(root, ".github", "actions", "locsync", "install.sh"), filepath.Join(root, ".gitlab", "job.yml"),
		filepath.Join(root, ".pre-commit-hooks.yaml"))
	for _, page := range pages {
		for _, name := range ofReleases.FindAllString(readPage(t, page), -1) {
			t.Errorf("%s names %q, and there is no release", page, name)
		}
	}
}

// readYAML reads a document of a file of CI.
func readYAML(t *testing.T, file string, into ...any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for _, document := range into {
		if err := decoder.Decode(document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}

// The steps of the GitHub Action, in their shells: the release is installed, found by later steps, and called as the
// input says.
func TestAction(t *testing.T) {
	t.Parallel()
	archive, _ := machine(t, "curl", "bash", "tar", "sha256sum")
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, Shell, Run, If, Uses string
				Env                        map[string]string
			}
		}
	}
	readYAML(t, ".github/actions/locsync/action.yml", &action)
	here, err := filepath.Abs(filepath.Join("..", "..", ".github", "actions", "locsync"))
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	values := map[string]string{"github.action_path": here, "runner.temp": temp, "inputs.version": "1.2.3",
		"inputs.command": "check --format github *", "inputs.public-key": action.Inputs["public-key"].Default}
	expression := regexp.MustCompile(`\$\{\{ ([a-z_.-]+) \}\}`)
	path := filepath.Join(temp, "path")
	env := []string{"LOCSYNC_RELEASES=" + releasesAt(released(t, "1.2.3", archive, "")), "GITHUB_PATH=" + path}
	said := ""
	for _, step := range action.Runs.Steps {
		if step.Uses != "" {
			continue // the cache
		}
		if added, err := os.ReadFile(path); err == nil {
			env = append(env, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"))
		}
		own := slices.Clone(env)
		for name, value := range step.Env {
			own = append(own, name+"="+expression.ReplaceAllStringFunc(value, func(found string) string {
				text, known := values[expression.FindStringSubmatch(found)[1]]
				if !known {
					t.Errorf("step %s: %s", step.Name, found)
				}
				return text
			}))
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %s: an input is in the script, where it could be more than a word", step.Name)
		}
		said = run(t, temp, own, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	}
	if want := "version 1.2.3\n(check)\n(--format)\n(github)\n(*)\n"; said != want {
		t.Errorf("it ran %q, want %q", said, want)
	}
}

// GitLab's job installs with the same script; what pre-commit calls is a command line of the program.
func TestOtherCI(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("..", "..", ".github", "actions", "locsync", "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Spec struct{ Inputs map[string]any }
	}
	var jobs map[string]struct {
		Before []string `yaml:"before_script"`
		Script []string
	}
	readYAML(t, ".gitlab/job.yml", &spec, &jobs)
	job := jobs["locsync"]
	if len(job.Before) != 1 || job.Before[0] != "sh <<'INSTALL'\n"+string(script)+"INSTALL\n" {
		t.Error(".gitlab/job.yml installs with another script than .github/actions/locsync/install.sh")
	}
	for _, input := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(fmt.Sprint(jobs), -1) {
		if _, known := spec.Spec.Inputs[input[1]]; !known {
			t.Errorf("there is no input %s", input[1])
		}
	}
	var hooks []struct{ ID, Entry, Files, Language string }
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	matched := map[string]bool{"locsync.toml": true, "a/en.json": true, "main.go": false, "en.json.bak": false}
	for _, name := range formats.Names() {
		f, _ := formats.Named(name)
		for _, extension := range f.Extensions {
			matched["a/en"+extension] = true
		}
	}
	for _, hook := range hooks {
		found, rest, err := (&app{}).root().Find(strings.Fields(hook.Entry)[1:])
		if err != nil || len(rest) > 0 || found.Name() != "check" {
			t.Errorf("%s: %v %q", hook.ID, err, rest)
		}
		for file, want := range matched {
			if regexp.MustCompile(hook.Files).MatchString(file) != want {
				t.Errorf("%s: %s is not %t", hook.ID, file, want)
			}
		}
	}
}

// TestRelease looks at what systemd/package/build has made in the folder LOCSYNC_RELEASE; LOCSYNC_RELEASE_KEY is the
// public key that it was signed for.
func TestRelease(t *testing.T) {
	dist := os.Getenv("LOCSYNC_RELEASE")
	if dist == "" {
		t.Skip("LOCSYNC_RELEASE names no folder with a release")
	}
	commit := strings.TrimSpace(run(t, "../..", nil, "git", "rev-parse", "HEAD"))
	sums := checksums(t, dist)
	var version string
	for _, file := range slices.Sorted(maps.Keys(sums)) {
		if v, ok := strings.CutSuffix(file, "_npm.tgz"); ok {
			version = strings.TrimPrefix(v, "locsync_")
		}
	}
	archives := 0
	for file, sum := range sums {
		name, system := strings.TrimSuffix(strings.TrimSuffix(file, ".tar.gz"), ".zip"), ""
		if name == file {
			continue
		}
		archives++
		system = strings.TrimPrefix(name, "locsync_"+version+"_")
		members := membersOf(t, filepath.Join(dist, file))
		program := "locsync"
		if strings.HasPrefix(system, "windows") {
			program = "locsync.exe"
		}
		for _, member := range []string{program, "LICENSE", "README.md", "CHANGELOG.md", "config.example.toml",
			"completion/_locsync", "man/locsync.1.gz"} {
			if len(members[name+"/"+member]) == 0 {
				t.Errorf("%s has no %s", file, member)
			}
		}
		for member := range members {
			if !strings.HasPrefix(member, name+"/") {
				t.Errorf("%s: %s is not below the top folder", file, member)
			}
		}
		if got := members[name+"/"+program]; !bytes.Contains(got, []byte(commit)) {
			t.Errorf("%s: the program does not know its commit", file)
		}
		for installer, systems := range map[string]string{"locsync.rb": "linux darwin", "locsync.nix": "linux darwin",
			"locsync.PKGBUILD": "linux", "locsync.scoop.json": "windows", "locsync.winget.installer.yaml": "windows"} {
			text, kind := readPage(t, filepath.Join(dist, installer)), strings.Split(system, "_")[0]
			wanted := strings.Contains(systems, kind)
			if wanted && !strings.Contains(text, system) || strings.Contains(text, sum) != wanted ||
				strings.Contains(text, "${VERSION}") {
				t.Errorf("%s, with %s and its checksum %t, is\n%s", installer, file, wanted, text)
			}
		}
	}
	if archives < 3 {
		t.Errorf("%d archives", archives)
	}
	if docker := readPage(t, filepath.Join(dist, "Dockerfile")); !strings.Contains(docker,
		"locsync_"+version+"_${TARGETARCH}.deb") ||
		!strings.Contains(docker, commit) {
		t.Errorf("the Dockerfile is\n%s", docker)
	}
	t.Run("provenance", func(t *testing.T) { checkProvenance(t, dist, commit, sums) })
	t.Run("AUR", func(t *testing.T) { checkPKGBUILD(t, dist, version) })
	t.Run("winget and Scoop", func(t *testing.T) { checkWindows(t, dist, version) })
	t.Run("signature", func(t *testing.T) { checkSignature(t, dist) })
	t.Run("npm", func(t *testing.T) { checkNPM(t, dist, version, commit) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, dist, version) })
	t.Run("rpm", func(t *testing.T) { checkRPM(t, dist, version) })
}

// checksums reads SHA256SUMS, which has every file of a release but itself and its signature, and compares it.
func checksums(t *testing.T, dist string) map[string]string {
	t.Helper()
	sums := make(map[string]string)
	for line := range strings.Lines(readPage(t, filepath.Join(dist, "SHA256SUMS"))) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[file] = sum
	}
	entries, err := os.ReadDir(dist)
	if err != nil || len(entries) < 10 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "SHA256SUMS") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dist, e.Name()))
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || got != sums[e.Name()] {
			t.Errorf("%s: %v, or its checksum is not %s", e.Name(), err, sums[e.Name()])
		}
	}
	return sums
}

// membersOf are the files of an archive.
func membersOf(t *testing.T, file string) map[string][]byte {
	t.Helper()
	members := make(map[string][]byte)
	add := func(name string, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		members[name] = data
	}
	if strings.HasSuffix(file, ".zip") {
		r, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, f := range r.File {
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, content)
			content.Close()
		}
		return members
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			add(h.Name, r)
		}
	}
}

// checkProvenance: the statement names each file of the release but itself and the checksums, and the commit.
func checkProvenance(t *testing.T, dist, commit string, sums map[string]string) {
	var statement struct {
		Type          string `json:"_type"`
		PredicateType string
		Subject       []struct {
			Name   string
			Digest struct{ SHA256 string }
		}
		Predicate struct {
			BuildDefinition struct {
				ResolvedDependencies []struct{ Digest struct{ GitCommit string } }
			}
		}
	}
	const name = "locsync.provenance.json"
	if err := json.Unmarshal([]byte(readPage(t, filepath.Join(dist, name))), &statement); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{name: sums[name]}
	for _, subject := range statement.Subject {
		named[subject.Name] = subject.Digest.SHA256
	}
	if !maps.Equal(named, sums) {
		t.Errorf("it is about %v, want %v", named, sums)
	}
	from := statement.Predicate.BuildDefinition.ResolvedDependencies
	if statement.Type != "https://in-toto.io/Statement/v1" ||
		statement.PredicateType != "https://slsa.dev/provenance/v1" ||
		len(from) != 1 || from[0].Digest.GitCommit != commit {
		t.Errorf("%+v, want the commit %s", statement, commit)
	}
}

// checkPKGBUILD packages as makepkg does, and calls what was packaged.
func checkPKGBUILD(t *testing.T, dist, version string) {
	archive, _ := machine(t, "bash", "tar")
	dir := t.TempDir()
	dist = mustAbs(t, dist)
	run(t, dir, nil, "tar", "-xzf", filepath.Join(dist, "locsync_"+version+"_"+archive+".tar.gz"))
	said := run(t, dir, []string{"pkgdir=" + filepath.Join(dir, "pkg")}, "bash", "-ec",
		`. "$1"; package; "$pkgdir/usr/bin/locsync" version; find "$pkgdir" -type f -printf '%P\n'`, "-",
		filepath.Join(dist, "locsync.PKGBUILD"))
	for _, want := range []string{"locsync " + version + "\n", "\nusr/share/man/man5/locsync.toml.5.gz\n",
		"\nusr/share/licenses/locsync-bin/LICENSE\n", "\nusr/share/zsh/site-functions/_locsync\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// checkWindows: the program is in the archive by the path that the manifests name.
func checkWindows(t *testing.T, dist, version string) {
	var winget struct {
		PackageVersion string `yaml:"PackageVersion"`
		Installers     []struct {
			URL   string `yaml:"InstallerUrl"`
			Files []struct {
				Path string `yaml:"RelativeFilePath"`
			} `yaml:"NestedInstallerFiles"`
		} `yaml:"Installers"`
	}
	text := readPage(t, filepath.Join(dist, "locsync.winget.installer.yaml"))
	if err := yaml.Unmarshal([]byte(text), &winget); err != nil || winget.PackageVersion != version {
		t.Fatalf("%+v, %v", winget, err)
	}
	programs := map[string]string{}
	for _, installer := range winget.Installers {
		programs[filepath.Base(installer.URL)] = strings.ReplaceAll(installer.Files[0].Path, `\`, "/")
	}
	var scoop struct {
		Architecture map[string]struct {
			URL    string
			Folder string `json:"extract_dir"`
		}
		Bin string
	}
	text = readPage(t, filepath.Join(dist, "locsync.scoop.json"))
	if err := json.Unmarshal([]byte(text), &scoop); err != nil {
		t.Fatal(err)
	}
	for machine, archive := range scoop.Architecture {
		if got := programs[filepath.Base(archive.URL)]; got != archive.Folder+"/"+scoop.Bin {
			t.Errorf("%s: %s and %s/%s", machine, got, archive.Folder, scoop.Bin)
		}
	}
	file := "locsync_" + version + "_windows_amd64.zip"
	if members := membersOf(t, filepath.Join(dist, file)); len(members[programs[file]]) == 0 {
		t.Errorf("%s has no %s", file, programs[file])
	}
}

func checkSignature(t *testing.T, dist string) {
	public := os.Getenv("LOCSYNC_RELEASE_KEY")
	if public == "" {
		t.Skip("LOCSYNC_RELEASE_KEY is not set: it is not signed")
	}
	signers := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(signers, []byte("release "+public+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := func(text string) error {
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", signers, "-I", "release", "-n", "file", "-s",
			filepath.Join(dist, "SHA256SUMS.sig"))
		cmd.Stdin = strings.NewReader(text)
		return cmd.Run()
	}
	text := readPage(t, filepath.Join(dist, "SHA256SUMS"))
	if err := verify(text); err != nil {
		t.Errorf("the signature does not fit: %v", err)
	}
	if verify(text+"\n") == nil {
		t.Error("the signature fits other checksums")
	}
}

// checkNPM installs the packages as npm does, and calls the program through them.
func checkNPM(t *testing.T, dist, version, commit string) {
	_, node := machine(t, "npm", "node")
	dir := t.TempDir()
	for _, name := range []string{"_npm", "_npm_" + node} {
		file, err := filepath.Abs(filepath.Join(dist, "locsync_"+version+name+".tgz"))
		if err != nil {
			t.Fatal(err)
		}
		into := filepath.Join(dir, "node_modules", map[bool]string{true: "locsync",
			false: "@locsync/" + node}[name == "_npm"])
		if err := os.MkdirAll(into, 0o755); err != nil {
			t.Fatal(err)
		}
		run(t, into, nil, "tar", "-xzf", file, "--strip-components", "1")
		var described struct {
			Name, Version, GitHead string
			OS, CPU                []string
		}
		if err := json.Unmarshal([]byte(readPage(t, filepath.Join(into, "package.json"))), &described); err != nil ||
			described.Version != version || described.GitHead != commit {
			t.Errorf("%s: %+v, %v", name, described, err)
		}
		run(t, dir, nil, "npm", "pack", "--silent", "--dry-run", "--offline", into)
	}
	call := func(args ...string) (string, int) {
		cmd := exec.Command("node", append([]string{filepath.Join(dir, "node_modules", "locsync", "bin", "locsync.js")},
			args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := call("version"); code != 0 || !strings.Contains(out, "locsync "+version+"\ncommit "+commit) {
		t.Errorf("locsync version: %d\n%s", code, out)
	}
	if out, code := call("nonsense"); code != 2 || !strings.Contains(out, "there is no command") {
		t.Errorf("locsync nonsense: %d\n%s", code, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", "@locsync")); err != nil {
		t.Fatal(err)
	}
	if out, code := call("version"); code != 2 || !strings.Contains(out, "@locsync/"+node+" is not installed") {
		t.Errorf("without the package of the machine: %d\n%s", code, out)
	}
}

// checkDeb unpacks the package and looks for what a release adds to it.
func checkDeb(t *testing.T, dist, version string) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("there is no dpkg-deb here")
	}
	dir, file := t.TempDir(), filepath.Join(mustAbs(t, dist), "locsync_"+version+"_"+runtime.GOARCH+".deb")
	checkOwners(t, run(t, dir, nil, "dpkg-deb", "-c", file))
	if script := run(t, dir, nil, "dpkg-deb", "-I", file, "preinst"); !strings.Contains(script, "groupadd") {
		t.Errorf("before it is unpacked it runs\n%s", script)
	}
	run(t, dir, nil, "dpkg-deb", "-x", file, ".")
	changes := run(t, dir, nil, "sh", "-c", "gzip -dc usr/share/doc/locsync/changelog*.gz")
	if !strings.Contains(changes, "locsync ("+version) || !strings.Contains(changes, "init --from") {
		t.Errorf("the changelog is\n%.500s", changes)
	}
}

// checkRPM asks rpm for the owners of the files, and for what runs before they are unpacked.
func checkRPM(t *testing.T, dist, version string) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("there is no rpm here")
	}
	file := filepath.Join(mustAbs(t, dist), "locsync_"+version+"_"+runtime.GOARCH+".rpm")
	checkOwners(t, run(t, "", nil, "rpm", "-qplv", file))
	script := run(t, "", nil, "rpm", "-qp", "--queryformat", "%{PREIN}", file)
	if !strings.Contains(script, "groupadd") {
		t.Errorf("before it is unpacked it runs\n%s", script)
	}
}

// checkOwners: what the service reads belongs to its group from the moment it is unpacked.
func checkOwners(t *testing.T, list string) {
	t.Helper()
	for _, file := range []string{`drwxr-s--- .*root[ /]+locsync .*/etc/locsync/projects/?`,
		`-rw-r----- .*root[ /]+locsync .*/etc/locsync/locsync\.toml`} {
		if !regexp.MustCompile(`(?m)^` + file + `$`).MatchString(list) {
			t.Errorf("no line is %s:\n%s", file, list)
		}
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
