package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/daemon"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "..", "systemd", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// The unit for several configurations is the one for a single one, but for the name of the instance.
func TestUnitTemplate(t *testing.T) {
	body := func(name string) string {
		_, body, ok := strings.Cut(deployed(t, name), "[Unit]\n")
		if !ok {
			t.Fatalf("%s has no [Unit]", name)
		}
		return body
	}
	one := body("locsync.service")
	for _, x := range []struct{ one, several string }{
		{"translation service\n", "translation service (%i)\n"},
		{"/etc/locsync/locsync.toml", "/etc/locsync/%i.toml"},
		{"# /var/lib/locsync,", "# /var/lib/locsync/%i,"},
		{"StateDirectory=locsync\n", "StateDirectory=locsync/%i\n"},
		{"/etc/locsync/api_key", "/etc/locsync/%i.api_key"},
		{"/etc/locsync/webhook_secret", "/etc/locsync/%i.webhook_secret"},
		{"/etc/locsync/callback_secret", "/etc/locsync/%i.callback_secret"},
		{"/etc/locsync/page_token", "/etc/locsync/%i.page_token"},
		{"/etc/locsync/notify_url", "/etc/locsync/%i.notify_url"},
		{"/etc/locsync/forge_token", "/etc/locsync/%i.forge_token"},
	} {
		if strings.Count(one, x.one) != 1 {
			t.Errorf("%q is in it %d times", x.one, strings.Count(one, x.one))
		}
		one = strings.Replace(one, x.one, x.several, 1)
	}
	if several := body("locsync@.service"); several != one {
		t.Errorf("locsync@.service is\n%s\nwant\n%s", several, one)
	}
}

// What all three units promise of the program: how it starts, reloads, ends and is watched.
func TestUnitsAgree(t *testing.T) {
	settings := func(name string) map[string]string {
		all := make(map[string]string)
		for line := range strings.Lines(deployed(t, name)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
				all[key] = value
			}
		}
		return all
	}
	want := map[string]string{"Type": "notify", "NotifyAccess": "main", "ExecReload": "/bin/kill -HUP $MAINPID",
		"WatchdogSec": "60", "Restart": "on-failure", "StartLimitIntervalSec": "0", // a failure that may pass does not end it
		"RestartPreventExitStatus": strconv.Itoa(report.ExitWrong), "LimitCORE": "0"}
	for _, name := range units {
		got := settings(name)
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s: %s=%s, want %s", name, key, got[key], value)
			}
		}
		if stop, err := strconv.Atoi(got["TimeoutStopSec"]); err != nil ||
			time.Duration(stop)*time.Second < daemon.MostToEnd {
			t.Errorf("%s: TimeoutStopSec=%s is shorter than the program may take to end", name, got["TimeoutStopSec"])
		}
	}
}

var units = []string{"locsync.service", "locsync@.service", "user/locsync@.service"}

const serviceUnit = "locsync-service.service"

// The unit of the translation service may do as little as that of the daemon, and starts the program as its flags are.
func TestServiceUnit(t *testing.T) {
	sandbox := func(name string) (all []string) {
		_, body, _ := strings.Cut(deployed(t, name), "# What the service cannot do")
		for line := range strings.Lines(body) {
			if strings.Contains(line, "=") && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "ProtectHome=") {
				all = append(all, strings.TrimSpace(line))
			}
		}
		return all
	}
	if one, other := sandbox("locsync.service"), sandbox(serviceUnit); !slices.Equal(one, other) || len(one) < 25 {
		t.Errorf("the daemon's sandbox is %q\nthe service's %q", one, other)
	}
	unit := deployed(t, serviceUnit)
	for _, pattern := range []string{`(?m)^ExecStart=/usr/bin/locsync (.*) \$FLAGS$`, `(?m)^Environment="FLAGS=(.*)"$`,
		`(?m)^# Environment="FLAGS=(.*)"$`} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(unit)
		if found == nil {
			t.Fatalf("nothing fits %s", pattern)
		}
		root := (&app{}).root()
		c, rest, err := root.Find(append([]string{"service"}, strings.Fields(strings.TrimPrefix(found[1], "service "))...))
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err != nil || c.Name() != "service" {
			t.Errorf("%s: %v", found[1], err)
		}
	}
}

// systemd understands the units, and finds little that the service could do and need not.
func TestUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(slices.Clone(units), serviceUnit) {
		unit := strings.ReplaceAll(deployed(t, name), "/usr/bin/locsync", program)
		file := filepath.Join(t.TempDir(), strings.Replace(filepath.Base(name), "@", "@app", 1))
		if err := os.WriteFile(file, []byte(unit), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(analyze, "verify", file).CombinedOutput(); err != nil ||
			strings.Contains(string(out), filepath.Base(file)) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if strings.HasPrefix(name, "user/") {
			continue // a user's service manager cannot take anything away
		}
		if out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=15",
			file).CombinedOutput(); err != nil {
			t.Errorf("%s is more exposed than 1.5: %v\n%s", name, err, out)
		}
	}
}
