package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// atShell starts an interactive shell at a terminal, in a folder with a configuration, without a user's settings.
func atShell(t *testing.T, dir string, args ...string) *console {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skipf("no %s here", args[0])
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ZDOTDIR=" + home, "XDG_CONFIG_HOME=" + home,
		"XDG_DATA_HOME=" + home, "TERM=xterm", "LANG=C.UTF-8", "HISTFILE=/dev/null"}
	return atConsole(t, cmd, 120, nil)
}

// The shells themselves complete what is typed: a command, a flag, a project of the configuration with a blank in its
// name, a word of a list.
func TestShells(t *testing.T) {
	t.Parallel()
	bash := "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(bash); err != nil { // what the script needs of it
		bash = filepath.Join(t.TempDir(), "bash_completion")
		text := "_get_comp_words_by_ref() { while [[ $1 == -* ]]; do [[ $1 == -n ]] && shift; shift; done; cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; words=(\"${COMP_WORDS[@]}\"); cword=$COMP_CWORD; }\n__ltrim_colon_completions() { :; }\n"
		if err := os.WriteFile(bash, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, begin, blank string
		shell              []string
	}{
		{"bash", "source " + bash +
			"; source <(locsync completion bash); bind 'set enable-bracketed-paste off'; PS1='> '", `web\\ site`,
			[]string{"bash", "--norc", "--noprofile", "-i"}},
		{"zsh", "autoload -U compinit; compinit -u -D; source <(locsync completion zsh); PS1='> '", `web\\ site`,
			[]string{"zsh", "-f", "-i"}},
		{"fish", "locsync completion fish | source; function fish_prompt; echo '> '; end", `(web\\ site|'web site')`,
			[]string{"fish", "--no-config", "--interactive"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := atShell(t, shelf(t), c.shell...)
			s.types(c.begin + "; echo rea''dy\n")
			at := s.until(`ready\s`, 0)
			at = s.until(`> `, at)
			for typed, want := range map[string]string{
				"locsync stats --buil\t":         `--build `,
				"locsync pus\t":                  `locsync push `,
				"locsync push --project we\t":    c.blank,
				"locsync check --format gith\t":  `github `,
				"locsync translate --to de,pt\t": `,pt-BR`,
			} {
				s.types(typed)
				at = s.until(want, at)
				s.types("\x15") // takes the line back
			}
			s.types("exit\n")
			s.wait()
		})
	}
}
