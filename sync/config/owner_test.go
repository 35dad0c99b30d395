//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const stranger = 12345

// A configuration that another user can write decides about nothing, wherever the other user has his hands in;
// that it trusts owners itself changes nothing.
func TestConfigurationOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOTE: only root can give files away")
	}
	for _, c := range []struct {
		name   string
		theirs []string // of file, dir, link, there
		load   string
		named  string // in the error; "" where it is read
	}{
		{"all is ours", nil, "dir/locsync.toml", ""},
		{"the file is theirs", []string{"dir/locsync.toml"}, "dir/locsync.toml", "dir/locsync.toml"},
		{"the folder is theirs", []string{"dir"}, "dir/locsync.toml", "dir"},
		{"what is above is theirs", []string{"."}, "dir/locsync.toml", ""},
		{"a link to our file", nil, "links/locsync.toml", ""},
		{"the link is theirs", []string{"links/locsync.toml"}, "links/locsync.toml", "links/locsync.toml"},
		{"the link's folder is theirs", []string{"links"}, "links/locsync.toml", "links"},
		{"the link leads to a file of theirs", []string{"dir/locsync.toml"}, "links/locsync.toml", "dir/locsync.toml"},
		{"the link leads into a folder of theirs", []string{"dir"}, "links/locsync.toml", "dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			text := strings.Replace(smallest, "source_language", "trust_owner = true\nsource_language", 1)
			var err error
			for _, dir := range []string{"dir", "links", ".git"} {
				err = errors.Join(err, os.Mkdir(filepath.Join(top, dir), 0o755))
			}
			err = errors.Join(err, os.WriteFile(filepath.Join(top, "dir", FileName), []byte(text), 0o644),
				os.Symlink("../dir/locsync.toml", filepath.Join(top, "links", FileName)))
			for _, name := range c.theirs {
				err = errors.Join(err, os.Lchown(filepath.Join(top, name), stranger, stranger))
			}
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(top, filepath.FromSlash(c.load))
			_, err = Load(file)
			switch {
			case c.named == "" && err != nil:
				t.Fatal(err)
			case c.named != "" && !(errors.Is(err, ErrOwner) && strings.HasSuffix(err.Error(), "safe.directory "+top) &&
				strings.Contains(err.Error(), filepath.Join(top, c.named)+" belongs to another user (uid 12345)")):
				t.Fatalf("got %v", err)
			case c.named == "":
				return
			}
			var asked string
			accept := func(answer bool) Option {
				return Accept(func(dir string) bool { asked = dir; return answer })
			}
			if _, err := Load(file, accept(false)); !errors.Is(err, ErrOwner) || asked != top {
				t.Errorf("not accepted: %v, about %q", err, asked)
			}
			if _, err := LoadForCreate(file, accept(true)); err != nil {
				t.Errorf("accepted: %v", err)
			}
		})
	}
}

// Root that was called through sudo is also the user who called.
func TestConfigurationThroughSudo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOTE: only root can give files away")
	}
	file := filepath.Join(t.TempDir(), FileName)
	err := errors.Join(os.WriteFile(file, []byte(smallest), 0o600), os.Chown(file, stranger, stranger),
		os.Chown(filepath.Dir(file), stranger, stranger))
	if err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[string]error{"12345": nil, "12346": ErrOwner, "": ErrOwner} {
		t.Setenv("SUDO_UID", uid)
		if _, err := Load(file); !errors.Is(err, want) {
			t.Errorf("SUDO_UID=%s: %v", uid, err)
		}
	}
}

// A file above the current folder that every user may write is refused, and one whose folder lets every user
// exchange it.
func TestConfigurationThatAllMayWrite(t *testing.T) {
	for _, c := range []struct {
		name         string
		folder, file fs.FileMode
		why          string
	}{
		{"usual", 0o755, 0o644, ""},
		{"shared with a group", 0o2775, 0o664, ""},
		{"the file", 0o755, 0o666, "chmod o-w %/locsync.toml"},
		{"the folder", 0o777, 0o644, "chmod o-w %,"},
		{"the folder, where only owners take files away", 0o777 | fs.ModeSticky, 0o644, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			below, file := filepath.Join(top, "below"), filepath.Join(top, FileName)
			err := errors.Join(os.Mkdir(filepath.Join(top, ".git"), 0o700), os.Mkdir(below, 0o700),
				os.WriteFile(file, []byte(smallest), 0o600), os.Chmod(file, c.file), os.Chmod(top, c.folder))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Find(below)
			why := strings.ReplaceAll(c.why, "%", top)
			if refused := errors.Is(err, ErrOwner); refused != (why != "") || refused && !strings.Contains(err.Error(), why) {
				t.Errorf("from below: %v", err)
			}
			if _, err := Find(top); err != nil {
				t.Errorf("in the folder itself, as git reads its configuration there: %v", err)
			}
			if _, err := Load(file); err != nil {
				t.Errorf("named: %v", err)
			}
		})
	}
}
