//go:build unix

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/command/doctor"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// diagnosis is one that doctor has printed.
type diagnosis struct{ report.Diagnosis }

// doctor runs the command and reads its report. Whatever is wrong has something to do, and no secret is in it.
func (w *daemonWorld) doctor(cmd *exec.Cmd) diagnosis {
	w.t.Helper()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	_ = cmd.Run() // the code says it
	if took := time.Since(began); took > 30*time.Second {
		w.t.Errorf("it took %v", took)
	}
	var d diagnosis
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		w.t.Fatalf("%v: %s%s", err, out.Bytes(), said.Bytes())
	}
	if code := cmd.ProcessState.ExitCode(); code != d.Code || d.OK != (code == 0) {
		w.t.Errorf("exit code %d, and the report says %d, %t", code, d.Code, d.OK)
	}
	for _, f := range d.Findings {
		if bad := f.Level == report.LevelWarning || f.Level == report.LevelFault; bad != (f.Do != "") ||
			(f.Level == report.LevelFault) != (f.Code != 0) || f.Found == "" {
			w.t.Errorf("%+v", f)
		}
	}
	for _, canary := range []string{"c4nary", "hunter2"} {
		if strings.Contains(out.String()+said.String(), canary) {
			w.t.Errorf("a secret was told: %s%s", out.Bytes(), said.Bytes())
		}
	}
	return d
}

// expect looks for findings, each written as "area | check | level | words".
func (d diagnosis) expect(t *testing.T, code int, want ...string) {
	t.Helper()
	for _, w := range want {
		part := strings.Split(w, " | ")
		met := false
		for _, f := range d.Findings {
			met = met || f.Area == part[0] && f.Check == part[1] && f.Level == part[2] &&
				strings.Contains(f.Found+" -> "+f.Do, part[3])
		}
		if !met {
			t.Errorf("there is no %q", w)
		}
	}
	if d.Code != code {
		t.Errorf("exit code %d, want %d", d.Code, code)
	}
	if t.Failed() {
		for _, f := range d.Findings {
			t.Logf("%s | %s | %s | %s -> %s", f.Area, f.Check, f.Level, f.Found, f.Do)
		}
	}
}

// Everything that works is found to work, beside a daemon, and nothing is changed; a daemon that hangs is found to
// hang.
func TestDoctorOfWhatWorks(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	bare := gittest.Bare(t, w.repo)
	cmd := w.start()
	w.until("readiness", func() bool { code, _ := w.get("/readyz"); return code == http.StatusOK })
	w.until("the memory at the remote", func() bool { // which the first push saves at its end
		_, err := gittest.TryGit(t, bare, "rev-parse", "--verify", "refs/locsync/app")
		return err == nil
	})
	w.check(w.command("hook", "install").Run())
	before, refs := folderOf(t, w.repo), gittest.Git(t, bare, "for-each-ref")
	w.doctor(w.command("doctor", "--json")).expect(t, 0,
		"program | git | ok | 2.", "program | clock | ok | UTC", "configuration | file | ok | 1 project",
		"configuration | API key | ok | environment variable LOCSYNC_API_KEY",
		"state | folder | ok | can be written to", "state | store | ok | sound", "state | disk | ok | free",
		"repository | repository | ok | a working tree", "repository | branch | ok | main is checked out",
		"repository | remote | ok | 1 branch",
		"repository | pushing | ok | lets us in", "repository | signing | ok | not signed",
		"repository | hooks | ok | git notifies",
		"files | files | ok | 2 keys", "files | filters | ok | 1 committed file",
		"file events | folders | ok | to watch", "file events | event | ok | after",
		"service | address | ok | "+w.service.URL, "service | credentials | ok | accepted",
		"service | clock | ok | agree", "service | budget | ok | 200 requests",
		"service | project | ok | languages", "service | callback | ok | none",
		"daemon | daemon | ok | it runs, process", "daemon | watching | ok | by events",
		"daemon | address | ok | ready", "daemon | others | ok | no other")
	if after := folderOf(t, w.repo); after != before || gittest.Git(t, bare, "for-each-ref") != refs {
		t.Errorf("something was changed:\n%s\n%s", before, after)
	}
	if _, metrics := w.get("/metrics"); doctor.RunningVersion.FindStringSubmatch(metrics) == nil {
		t.Errorf("the daemon's version is not found in\n%s", metrics)
	}
	w.check(cmd.Process.Signal(syscall.SIGSTOP))
	w.doctor(w.command("doctor", "--json", "--offline")).expect(t, 1,
		"daemon | daemon | fault | does not answer", "daemon | address | fault | does not answer",
		"service | address | skipped | --offline",
		"repository | remote | skipped | --offline", "state | store | ok | sound")
	w.check(cmd.Process.Signal(syscall.SIGCONT))
}

// A daemon that runs and is not ready says why.
func TestDoctorOfADaemonThatIsNotReady(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	w.mode.Store(down)
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	w.check(os.WriteFile(filepath.Join(w.repo, "locsync.toml"), append([]byte("state_dir = \"state\"\n"), text...),
		0o600))
	w.startWith("--config", "locsync.toml") // a path that means something else elsewhere
	w.until("a reason", func() bool { _, said := w.get("/readyz"); return strings.Contains(said, "503") })
	cmd := w.command("doctor", "--json", "--config", filepath.Join(w.repo, "locsync.toml"))
	cmd.Dir = t.TempDir()
	w.doctor(cmd).expect(t, 1, "daemon | daemon | ok | it runs", "daemon | others | ok | no other",
		"daemon | address | fault | 503 Service Unavailable", "service | credentials | fault | 503")
}

// folderOf is every file below a folder with its size; not what a daemon writes meanwhile.
func folderOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Base(path) != "state.db" {
			info, ierr := e.Info()
			err = ierr
			if ierr == nil {
				fmt.Fprintln(&all, path, info.Size(), info.Mode())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Many things that are wrong at once: each is found, and none hides another.
func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "hunter2 passphrase", "-f",
		key).CombinedOutput(); err != nil {
		t.Skipf("no key can be made: %v %s", err, out)
	}
	w.daemon += "public_url = \"https://outside.example\"\ncallback_secret_env = \"BELL_SECRET\"\nwebhook_secret_env = \"NOT_SET\"\npage_token_env = \"SHORT_TOKEN\"\n"
	w.env = append(w.env, "SHORT_TOKEN=short")
	w.labels = "[[project.files]]\nsource = \"broken/*.json\"\noutput = \"out/{LANGUAGE}/{NAME}.json\"\ncollection = \"b\"\n"
	w.configure("")
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	text = bytes.Replace(text, []byte("[project.pull]\n"), fmt.Appendf(nil, "[project.pull]\nsigning_key_file = %q\n",
		key), 1)
	text = bytes.Replace(text, []byte("target_languages = [\"de\"]"), []byte("target_languages = [\"de\", \"fr\"]"), 1)
	w.check(os.WriteFile(filepath.Join(w.repo, "locsync.toml"),
		append([]byte("state_dir = \"/proc/sys/kernel\"\n"), text...), 0o600))
	gittest.Write(t, w.repo, map[string]string{"broken/a.json": "{", "broken/b.json": "{}",
		".gitattributes": "locales/*.json filter=nobodys\n"})
	gittest.Git(t, w.repo, "add", "-A")
	gittest.Git(t, w.repo, "commit", "-q", "-m", "more")
	gittest.Git(t, w.repo, "remote", "add", "origin", "http://bot:c4nary@"+unusedAddress(t)+"/x.git")
	w.check(w.command("hook", "install").Run())
	w.check(os.Chmod(filepath.Join(w.repo, ".git", "hooks", "post-merge"), 0o644))
	w.check(os.WriteFile(filepath.Join(w.repo, ".git", "index.lock"), nil, 0o600))
	// Another program has the daemon's address, and another daemon the project.
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.Listener.Close()
	other.Listener, err = net.Listen("tcp", strings.TrimPrefix(w.url, "http://"))
	w.check(err)
	other.Start()
	t.Cleanup(other.Close)
	cfg, err := config.Load(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	claim, err := boltledger.TakeClaim(process.ClaimDir(t.Context(), cfg, &cfg.Projects[0]), "/elsewhere")
	w.check(err)
	t.Cleanup(claim.Release)
	c, err := service.New(service.Options{BaseURL: w.service.URL, AccountID: "acc", APIKey: "secret"})
	w.check(err)
	t.Cleanup(c.Close)
	w.check(c.Callbacks().Set(t.Context(), service.Callback{URL: "https://elsewhere.example/else",
		AdditionalHeaders: []wire.CallbackHeader{}}))

	w.doctor(w.command("doctor", "--json")).expect(t, 2,
		"configuration | webhooks | fault | NOT_SET", "configuration | callbacks | ok | BELL_SECRET",
		"configuration | page token | fault | shorter than 16",
		"state | folder | fault | cannot be written to",
		"repository | git | warning | index.lock", "repository | remote | fault | is the network up",
		"repository | signing | fault | passphrase", "repository | hooks | warning | 3 of 4",
		"files | files | fault | 1 error", "files | filters | fault | nobodys",
		"service | address | ok | answers", "service | project | fault | \"fr\"",
		"service | callback | warning | elsewhere.example",
		"daemon | daemon | ok | not running", "daemon | address | warning | something else answers",
		"daemon | others | fault | /elsewhere")
}

// A service that cannot be reached, or does not prove who it is, or does not accept who we are, or has another time.
func TestDoctorOfTheService(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	at, err := url.Parse(w.service.URL)
	w.check(err)
	hour := httputil.NewSingleHostReverseProxy(at)
	hour.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		return nil
	}
	fast := httptest.NewServer(hour)
	t.Cleanup(fast.Close)
	expired, trusted := expiredService(t)
	unknown := "11111111-2222-3333-4444-999999999999"
	for name, x := range map[string]struct {
		url, key, id string
		code         int
		want         []string
	}{
		"another time": {fast.URL, "secret", daemonProject, 0, []string{"service | clock | warning | ahead of",
			"service | project | ok | languages"}},
		"no such name": {"https://missing.invalid", "secret", daemonProject, 1,
			[]string{"service | address | fault | missing.invalid"}},
		"an unused address": {"http://" + unusedAddress(t), "secret", daemonProject, 1,
			[]string{"service | address | fault | does not take a connection",
				"service | project | skipped | does not answer"}},
		"an old certificate": {expired, "secret", daemonProject, 2, []string{"service | address | fault | expired",
			"service | certificate | fault | it ended 2 h ago"}},
		"another key": {w.service.URL, "c4nary", daemonProject, 2, []string{"service | address | ok | answers",
			"service | credentials | fault | API key", "service | clock | ok | agree"}},
		"no key": {w.service.URL, "", daemonProject, 2,
			[]string{"configuration | API key | fault | LOCSYNC_API_KEY", "service | address | ok | answers",
				"service | credentials | skipped | there is no API key"}},
		"an unknown project": {w.service.URL, "secret", unknown, 2, []string{"service | credentials | ok | accepted",
			"service | project | fault | "}},
	} {
		file := filepath.Join(w.repo, strings.ReplaceAll(name, " ", "-")+".toml")
		text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
		w.check(err)
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(w.service.URL), []byte(x.url)),
			[]byte(daemonProject), []byte(x.id))
		w.check(os.WriteFile(file, text, 0o600))
		cmd := w.command("doctor", "--json", "--config", file)
		cmd.Env = append(cmd.Env, "LOCSYNC_API_KEY="+x.key, "SSL_CERT_FILE="+trusted)
		t.Run(name, func(t *testing.T) {
			w.doctor(cmd).expect(t, x.code, x.want...)
		})
	}
}

// expiredService is a service whose certificate ended two hours ago, and the file that a process trusts it by.
func expiredService(t *testing.T) (address, trusted string) {
	t.Helper()
	certificate, trusted := selfSigned(t, time.Now().Add(-2*time.Hour-time.Minute))
	return serveTLS(t, certificate, http.NotFoundHandler()).URL, trusted
}

func serveTLS(t *testing.T, certificate tls.Certificate, handler http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// selfSigned is a certificate of this machine and of all names below example.com, and the file by which it is trusted.
func selfSigned(t *testing.T, ends time.Time) (certificate tls.Certificate, trusted string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: ends,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"*.example.com"}, IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	trusted = filepath.Join(t.TempDir(), "trusted.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, trusted
}

// Surroundings that take another process, user or kernel limit.
func TestDoctorOfItsSurroundings(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	t.Run("no git", func(t *testing.T) {
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
		w.doctor(cmd).expect(t, 2, "program | git | fault | install", "repository | repository | fault | git 2.38")
	})
	t.Run("an old git", func(t *testing.T) {
		dir, err := exec.LookPath("git")
		w.check(err)
		old := t.TempDir()
		gittest.Executable(t, filepath.Join(old, "git"),
			fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" = version ] && echo git version 2.20.1 && exit\nexec %s \"$@\"\n",
				dir))
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Env = append(cmd.Env, "PATH="+old+":"+os.Getenv("PATH"))
		w.doctor(cmd).expect(t, 2, "program | git | fault | 2.20.1")
	})
	t.Run("no configuration", func(t *testing.T) {
		cmd := w.command("doctor", "--json")
		cmd.Dir = t.TempDir()
		w.doctor(cmd).expect(t, 2, "configuration | file | fault | locsync init", "program | git | ok | 2.",
			"repository | repository | skipped | none here")
	})
	t.Run("a broken configuration", func(t *testing.T) {
		broken := filepath.Join(t.TempDir(), "locsync.toml")
		w.check(os.WriteFile(broken, []byte("state_dri = \"x\"\n[service]\nrequests_per_second = -1\n"), 0o600))
		w.doctor(w.command("doctor", "--json", "--config", broken)).expect(t, 2,
			"configuration | file | fault | locsync.toml:1: state_dri: unknown key",
			"configuration | file | fault | requests_per_second",
			"repository | branch | ok | main", "state | folder | ok | .git/locsync",
			"daemon | daemon | ok | not running")
	})
	t.Run("no watchers left", func(t *testing.T) {
		cmd := w.command("doctor", "--json", "--offline")
		script := `echo 0 > /proc/sys/user/max_inotify_instances || exit 77; exec "$0" "$@"`
		cmd.Args = append([]string{"unshare", "-Ur", "sh", "-c", script, cmd.Path}, cmd.Args[1:]...)
		var err error
		if cmd.Path, err = exec.LookPath("unshare"); err != nil {
			t.Skip("no unshare here")
		}
		if out, err := exec.Command(cmd.Path, "-Ur", "sh", "-c",
			"echo 0 > /proc/sys/user/max_inotify_instances").CombinedOutput(); err != nil {
			t.Skipf("limits cannot be lowered here: %s", out)
		}
		w.doctor(cmd).expect(t, 0, "file events | event | warning | fs.inotify.max_user_instances",
			"file events | limits | warning | max_user_instances")
	})
	t.Run("a damaged state", func(t *testing.T) {
		dir := t.TempDir()
		w.check(os.WriteFile(filepath.Join(dir, "state.db"), bytes.Repeat([]byte("no database"), 3000), 0o600))
		w.check(os.WriteFile(filepath.Join(dir, "state.db.damaged-20261120T000000Z"), nil, 0o600))
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Env = append(cmd.Env, "STATE_DIRECTORY="+dir)
		w.doctor(cmd).expect(t, 0, "state | folder | ok | "+dir, "state | store | warning | damaged: ",
			"state | store | warning | state.db.damaged-20261120T000000Z")
		if now, err := os.ReadDir(dir); err != nil || len(now) != 2 {
			t.Errorf("there is %v, %v", now, err)
		}
	})
	t.Run("a state that a process holds", func(t *testing.T) {
		store, err := boltledger.Open(t.TempDir())
		w.check(err)
		defer store.Close()
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Env = append(cmd.Env, "STATE_DIRECTORY="+store.Dir())
		w.doctor(cmd).expect(t, 0, "state | store | ok | sound",
			fmt.Sprintf("daemon | daemon | warning | process %d, since ", os.Getpid()), "daemon | address | ok | free")
	})
	t.Run("somebody else's state", func(t *testing.T) {
		dir := t.TempDir()
		if os.Getuid() != 0 {
			t.Skip("takes root to be somebody else")
		}
		w.check(os.Chown(dir, 65534, 65534))
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Env = append(cmd.Env, "STATE_DIRECTORY="+dir)
		w.doctor(cmd).expect(t, 0, "state | folder | warning | belongs to user 65534", "program | user | ok | (0)")
	})
	t.Run("a file in the state's place", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		w.check(os.WriteFile(file, nil, 0o600))
		for dir, want := range map[string]string{file: "is not a folder",
			filepath.Join(file, "below"): "not a directory"} {
			cmd := w.command("doctor", "--json", "--offline")
			cmd.Env = append(cmd.Env, "STATE_DIRECTORY="+dir)
			w.doctor(cmd).expect(t, 2, "state | folder | fault | "+want)
		}
	})
	t.Run("a repository without a commit", func(t *testing.T) {
		dir := t.TempDir()
		gittest.Git(t, "", "init", "-q", dir)
		w.check(os.WriteFile(filepath.Join(dir, "locsync.toml"),
			must(os.ReadFile(filepath.Join(w.repo, "locsync.toml"))), 0o600))
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Dir = dir
		w.doctor(cmd).expect(t, 2, "repository | branch | fault | first commit", "files | files | fault | app: 0 files")
	})
	t.Run("branches", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "clone")
		gittest.Git(t, "", "clone", "-q", "-o", "upstream", w.repo, dir)
		text := must(os.ReadFile(filepath.Join(w.repo, "locsync.toml")))
		text = bytes.Replace(text, []byte("[project.pull]\n"),
			[]byte("[project.push]\nbranches = [\"release/*\"]\n[project.pull]\nremote = \"upstream\"\nbase = \"gone\"\n"), 1)
		w.check(os.WriteFile(filepath.Join(dir, "locsync.toml"), text, 0o600))
		cmd := w.command("doctor", "--json")
		cmd.Dir = dir
		w.doctor(cmd).expect(t, 2, "repository | branch | warning | release/*",
			"repository | remote | fault | builds translations on gone")
		gittest.Git(t, dir, "checkout", "-q", "--detach")
		gittest.Git(t, dir, "remote", "rename", "upstream", "other")
		cmd = w.command("doctor", "--json")
		cmd.Dir = dir
		w.doctor(cmd).expect(t, 2, "repository | branch | warning | detached",
			"repository | remote | fault | no remote is called \"upstream\"")
	})
	t.Run("somebody else's repository", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("takes root to be somebody else")
		}
		theirs := filepath.Join(t.TempDir(), "theirs")
		gittest.Git(t, "", "clone", "-q", w.repo, theirs)
		text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
		w.check(err)
		w.check(os.WriteFile(filepath.Join(theirs, "locsync.toml"), text, 0o644))
		w.check(os.Lchown(filepath.Join(theirs, ".git"), 65534, 65534))
		cmd := w.command("doctor", "--json", "--offline")
		cmd.Dir = theirs
		w.doctor(cmd).expect(t, 2, "repository | repository | fault | trust_owner = true",
			"state | folder | skipped | cannot be opened", "files | files | skipped | cannot be opened",
			"configuration | file | ok | valid")
	})
}

// A repository elsewhere is asked, and not cloned; a wrong password is told apart from a remote that is down.
func TestDoctorOfARepositoryElsewhere(t *testing.T) {
	t.Parallel()
	w := newRestingWorld(t)
	bare := gittest.Bare(t, w.repo)
	var readOnly atomic.Bool
	server := httptest.NewServer(must(gittest.Handler(bare, gittest.Options{User: "bot", Password: "hunter2",
		Fault: func(r *http.Request, _ int) *gittest.Fault {
			if readOnly.Load() && r.URL.Query().Get("service") == "git-receive-pack" {
				return &gittest.Fault{Status: http.StatusForbidden}
			}
			return nil
		}})))
	t.Cleanup(server.Close)
	text, err := os.ReadFile(filepath.Join(w.repo, "locsync.toml"))
	w.check(err)
	for _, x := range []struct {
		password string
		readOnly bool
		code     int
		want     string
	}{{"hunter2", false, 0, "repository | pushing | ok | lets us in"}, {"c4nary", false, 2,
		"repository | repository | fault | credentials"}, {"hunter2", true, 2,
		"repository | pushing | fault | use one that may"}} {
		readOnly.Store(x.readOnly)
		password, dir := x.password, t.TempDir()
		address := strings.Replace(server.URL, "//", "//bot:"+password+"@", 1) + "/" + filepath.Base(bare)
		w.check(os.WriteFile(filepath.Join(dir, "locsync.toml"), bytes.Replace(text, []byte("name = \"app\"\n"),
			fmt.Appendf(nil, "name = \"app\"\nrepository = %q\n", address), 1), 0o600))
		w.check(os.WriteFile(filepath.Join(dir, "locsync.toml"), append([]byte("state_dir = \"state\"\n"),
			must(os.ReadFile(filepath.Join(dir, "locsync.toml")))...), 0o600))
		cmd := w.command("doctor", "--json")
		cmd.Dir = dir
		w.doctor(cmd).expect(t, x.code, x.want, "state | folder | ok | not there yet")
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("it made %v, %v", left, err)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A service and a remote that take the connection and say nothing are named, each by itself, and nothing else waits for
// them.
func TestDoctorOfWhatHangs(t *testing.T) {
	w := newRestingWorld(t)
	w.mode.Store(hangs)
	t.Setenv("LOCSYNC_API_KEY", "secret")
	t.Setenv("LOCSYNC_BUDGET_DIR", t.TempDir())
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	w.check(err)
	t.Cleanup(func() { silent.Close() })
	gittest.Git(t, w.repo, "remote", "add", "origin", "http://"+silent.Addr().String()+"/x.git")
	at := strings.TrimPrefix(w.url, "http://")
	mute, err := net.Listen("tcp", at)
	w.check(err)
	t.Cleanup(func() { mute.Close() })
	began := time.Now()
	result, err := doctor.Examine(t.Context(), doctor.Options{Limit: time.Second, Program: version(),
		Locate: func() (string, error) { return filepath.Join(w.repo, "locsync.toml"), nil }})
	w.check(err)
	if took := time.Since(began); took > 20*time.Second { // of a machine with much else to do; what it asks would be waited for much longer than that
		t.Errorf("it took %v", took)
	}
	diagnosis{result}.expect(t, 1, "service | address | fault | does not answer", "repository | remote | fault | ",
		"repository | branch | ok | main", "files | files | ok | 2 keys", "daemon | daemon | ok | not running",
		"daemon | address | warning | something else takes connections")
}
