package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/sync/config"
)

func aProject(name string) string {
	return fmt.Sprintf("[[project]]\nname = %q\nid = \"00000000-0000-0000-0000-000000000001\"\nrepository = "+
		"\"https://git.example.com/%[1]s.git\"\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n"+
		"[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n", name)
}

func adding(name string) Change {
	return Change{Make: func(file string, accept config.Option) (config.Edit, *config.Config, error) {
		return config.Add(file, config.Addition{Name: name, ID: "00000000-0000-0000-0000-000000000001",
			Repository: "https://git.example.com/" + name + ".git", SourceLanguage: "en", TargetLanguages: []string{"de"},
			Files: []config.AdditionFiles{{Source: "en.json", Output: "{LANGUAGE}.json"}}}, accept)
	}}
}

// Of edits that are made at once none is lost, whether projects share a file or have one each; of two that add the same
// project one is refused.
func TestEditsAtOnce(t *testing.T) {
	for name, head := range map[string]string{"in one file": "", "in files of their own": "include = [\"p/*.toml\"]\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, config.FileName)
			text := head + "state_dir = \"state\"\n" + aProject("stays")
			const each = 8
			want := map[string]bool{"stays": true}
			for i := range each {
				text += aProject(fmt.Sprint("gone-", i))
				want[fmt.Sprint("new-", i)] = true
			}
			err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Mkdir(filepath.Join(dir, "p"), 0o755),
				os.WriteFile(filepath.Join(dir, "p", "first.toml"), []byte(aProject("first")), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			if head != "" {
				want["first"] = true
			}
			var all sync.WaitGroup
			for i := range each {
				twice := make(chan error, 2)
				for range 2 {
					all.Go(func() {
						_, err := Edit(t.Context(), file, fmt.Sprint("new-", i), adding(fmt.Sprint("new-", i)))
						twice <- err
					})
				}
				all.Go(func() {
					if first, second := <-twice, <-twice; (first == nil) == (second == nil) {
						t.Errorf("the same project is added twice: %v, %v", first, second)
					}
				})
				all.Go(func() {
					name := fmt.Sprint("gone-", i)
					_, err := Edit(t.Context(), file, name, Change{Make: func(file string, accept config.Option) (config.Edit,
						*config.Config, error) {
						return config.Remove(file, name, accept)
					}})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			cfg, err := config.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]bool)
			for _, p := range cfg.Projects {
				got[p.Name] = true
			}
			if !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// The last project can be removed where its repository has the state: there is none in the configuration then,
// as before the first project is added.
func TestRemoveTheProjectThatHasTheState(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, config.FileName)
	own := filepath.Join(dir, "p", "app.toml")
	text := strings.Replace(aProject("app"), "https://git.example.com/app.git", "../repo", 1)
	err := errors.Join(os.WriteFile(file, []byte("include = [\"p/*.toml\"]\n"), 0o600),
		os.Mkdir(filepath.Dir(own), 0o755), os.WriteFile(own, []byte(text), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, "repo")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	done, err := Edit(t.Context(), file, "app", Change{Make: func(file string, accept config.Option) (config.Edit,
		*config.Config, error) {
		return config.Remove(file, "app", accept)
	}})
	if err != nil || !done.Removed || done.File != own {
		t.Errorf("%+v, %v", done, err)
	}
	if cfg, err := config.Load(file); err != nil || len(cfg.Projects) != 0 {
		t.Errorf("%+v, %v", cfg, err)
	}
}
