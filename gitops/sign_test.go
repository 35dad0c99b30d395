package gitops

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/object"
)

func sshKey(t *testing.T, passphrase string) (file, public string) {
	t.Helper()
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("no ssh-keygen here")
	}
	file = filepath.Join(t.TempDir(), "key")
	if out, err := exec.CommandContext(t.Context(), program, "-q", "-t", "ed25519", "-N", passphrase, "-C", "locsync",
		"-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(data))
}

func allow(t *testing.T, dir, public string) {
	t.Helper()
	signers := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(signers, []byte("bot@localhost "+public+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Git(t, dir, "config", "gpg.ssh.allowedSignersFile", signers)
}

var signedMessage = Message{Text: "Update translations\n\nLocsync-Project: app", Author: Person{"Bot", "bot@localhost"}}

func commitSigned(t *testing.T, dir string, s Signing) (string, error) {
	t.Helper()
	r, err := Open(t.Context(), dir, Options{Signing: s})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tip, err := r.At(t.Context(), "l10n", "main")
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.Commit(t.Context(), tip, "l10n", map[string][]byte{"de.json": []byte("{}\n")}, signedMessage)
	if err != nil {
		return "", err
	}
	return made.Hash(), nil
}

// git itself finds the signature good, and the commit sound.
func verify(t *testing.T, dir, commit string) {
	t.Helper()
	gittest.Git(t, dir, "verify-commit", commit)
	gittest.Git(t, dir, "fsck", "--strict")
	if got := gittest.Git(t, dir, "log", "-1", "--format=%an|%s|%b",
		commit); got != "Bot|Update translations|Locsync-Project: app" {
		t.Errorf("the signed commit says %q", got)
	}
}

func TestSignsWithAnSSHKey(t *testing.T) {
	gittest.Need(t)
	file, public := sshKey(t, "")
	for name, c := range map[string]struct {
		options Signing
		config  map[string]string
	}{
		"key file": {Signing{KeyFile: file}, nil},
		"configuration": {Signing{}, map[string]string{"commit.gpgSign": "true",
			"gpg.format": "ssh", "user.signingKey": file}},
		"public key's name": {Signing{}, map[string]string{"commit.gpgSign": "true", "gpg.format": "ssh",
			"user.signingKey": file + ".pub"}},
		"key file goes before": {Signing{KeyFile: file}, map[string]string{"commit.gpgSign": "true",
			"gpg.format": "ssh", "user.signingKey": "/nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"en.json": "{}\n"})
			allow(t, dir, public)
			for key, value := range c.config {
				gittest.Git(t, dir, "config", key, value)
			}
			commit, err := commitSigned(t, dir, c.options)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, dir, commit)
		})
	}
}

// Keys that only the agent holds: one that the configuration has in full, and one that a command names.
func TestSignsWithAKeyOfTheAgent(t *testing.T) {
	gittest.Need(t)
	file, public := sshKey(t, "")
	t.Setenv("SSH_AUTH_SOCK", new(gittest.SSHServer).Agent(t, file))
	for name, set := range map[string][2]string{
		"in full":            {"user.signingKey", "key::" + public},
		"a command names it": {"gpg.ssh.defaultKeyCommand", "cat " + file + ".pub"},
	} {
		dir := gittest.Init(t, map[string]string{"en.json": "{}\n"})
		allow(t, dir, public)
		for key, value := range map[string]string{"commit.gpgSign": "true", "gpg.format": "ssh", set[0]: set[1]} {
			gittest.Git(t, dir, "config", key, value)
		}
		commit, err := commitSigned(t, dir, Signing{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		verify(t, dir, commit)
	}
}

// Every commit is signed, and so is a merge; each is otherwise the one that would have been made without a signature.
func TestCommitsAndMergesAreSigned(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	file, public := sshKey(t, "")
	dir := gittest.Init(t, sample)
	allow(t, dir, public)
	odd := Message{Text: "\n  Ünï\x00 \xff\r\n\n# no comment\n\n\n", Author: Person{` "Bot" <x>. \`, "bot@localhost"},
		When: when}
	var bare [2][]string // what is signed, without the signature and the names that hang on it
	for i, o := range []Options{{Signing: Signing{KeyFile: file}}, {Signing: Signing{Never: true}}} {
		branch := []string{"signed", "plain"}[i]
		r := open(t, dir, o)
		for _, files := range []map[string][]byte{files("a", "1"), files("a", "2", "d/b", "1")} {
			push(t, r, must[*Tip](t)(r.Commit(t.Context(), at(t, r, branch, "main"), branch, files, odd)))
		}
		gittest.Commit(t, dir, "main goes on", map[string]string{"main": branch})
		tip := at(t, r, branch, "main")
		m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
		push(t, r, must[*Tip](t)(r.Commit(t.Context(), m.Tip, branch, files("c", "1"), odd)))
		for _, h := range strings.Fields(gittest.Git(t, dir, "log", "-3", "--first-parent", "--format=%H", branch)) {
			if _, err := gittest.TryGit(t, dir, "verify-commit", h); (err == nil) != (i == 0) {
				t.Errorf("%s: %v", branch, err)
			}
			raw := string(must[[]byte](t)(r.repo.Objects.ReadAs(object.Commit, must2(object.Parse(h)))))
			raw = regexp.MustCompile(`(?s)gpgsig .*?-----END SSH SIGNATURE-----\n|parent \w+\n|tree \w+\n`).ReplaceAllString(raw, "")
			bare[i] = append(bare[i], raw)
		}
	}
	if len(bare[0]) != 3 || !slices.Equal(bare[0], bare[1]) {
		t.Errorf("%q\n%q", bare[0], bare[1])
	}
	gittest.Sound(t, dir)
}

func must2(h hash, _ bool) hash { return h }

func TestSignsWithAnOpenPGPKey(t *testing.T) {
	gittest.Need(t)
	program, err := exec.LookPath("gpg")
	if err != nil {
		t.Skip("no gpg here")
	}
	home, err := os.MkdirTemp("", "gpg") // short: the agent's socket lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GNUPGHOME", home)
	t.Cleanup(func() {
		// The agent that gpg started ends with its folder's test.
		if out, err := exec.Command("gpgconf", "--kill", "all").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	if out, err := exec.CommandContext(t.Context(), program, "--batch", "--passphrase", "", "--quick-generate-key",
		"Bot <bot@localhost>", "ed25519", "sign").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := gittest.Init(t, map[string]string{"en.json": "{}\n"})
	gittest.Git(t, dir, "config", "commit.gpgSign", "true")
	commit, err := commitSigned(t, dir, Signing{})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, dir, commit)
}

// Where no signature can be had no commit is made, and the error says what to do.
func TestDoesNotCommitUnsigned(t *testing.T) {
	gittest.Need(t)
	locked, _ := sshKey(t, "a passphrase")
	for name, c := range map[string]struct {
		options Signing
		config  map[string]string
		says    string
	}{
		"passphrase":     {Signing{KeyFile: locked}, nil, "without a passphrase"},
		"missing":        {Signing{KeyFile: "/no/such/key"}, nil, "/no/such/key"},
		"no key":         {Signing{}, map[string]string{"gpg.format": "ssh"}, "user.signingKey"},
		"unknown format": {Signing{}, map[string]string{"gpg.format": "smoke"}, "smoke"},
		"no program":     {Signing{}, map[string]string{"gpg.program": "/no/such/gpg"}, "/no/such/gpg"},
		"silent program": {Signing{}, map[string]string{"gpg.program": "true"}, "failed to sign"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"en.json": "{}\n"})
			gittest.Git(t, dir, "config", "commit.gpgSign", "true")
			for key, value := range c.config {
				gittest.Git(t, dir, "config", key, value)
			}
			before := gittest.Git(t, dir, "for-each-ref")
			_, err := commitSigned(t, dir, c.options)
			if !errors.Is(err, ErrSign) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			if after := gittest.Git(t, dir, "for-each-ref"); before != after {
				t.Errorf("references before %s, after %s", before, after)
			}
			if _, err := commitSigned(t, dir, Signing{Never: true}); err != nil {
				t.Errorf("without signatures: %v", err)
			}
		})
	}
}
