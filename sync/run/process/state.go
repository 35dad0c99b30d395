package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
)

// ConfigReader is config.Load or config.LoadForCreate.
type ConfigReader = func(file string, options ...config.Option) (*config.Config, error)

// ReadConfig reads a configuration. One of another user is read where git's safe.directory accepts the folder, as git
// would.
func ReadConfig(file string) (*config.Config, error) { return ReadConfigBy(config.Load, file) }

// ReadConfigBy is ReadConfig with another reader.
func ReadConfigBy(read ConfigReader, file string) (*config.Config, error) {
	cfg, err := read(file, AcceptSafe())
	if err == nil {
		gitops.Withhold(config.SecretVariables(cfg)...)
	}
	return cfg, err
}

// AcceptSafe accepts a configuration of another user where git's safe.directory does.
func AcceptSafe() config.Option {
	return config.Accept(func(dir string) bool { return gitops.SafeDirectory(context.Background(), dir) })
}

// ExposedSecrets names the files of secrets that others may change or read, and those that git tracks.
func ExposedSecrets(ctx context.Context, cfg *config.Config) config.Problems {
	return config.ExposedSecrets(cfg, func(file string) bool { return gitops.Tracked(ctx, file) })
}

// receivedFor is how long git's history is asked whether a configuration came with the repository.
const receivedFor = 2 * time.Second

// Alone says why the embedded service of a configuration is not the one that others have; "" where it may be the only
// one.
func Alone(ctx context.Context, cfg *config.Config) string {
	ctx, end := context.WithTimeout(ctx, receivedFor)
	defer end()
	ci := os.Getenv("CI")
	switch {
	case !cfg.Service.Embedded():
	case ci != "" && ci != "false" && ci != "0":
		return "this job has an embedded service of its own, which begins empty and ends with the job"
	case gitops.Received(ctx, cfg.File):
		return fmt.Sprintf("%s came with this repository, and its embedded service is in this clone alone", cfg.File)
	}
	return ""
}

// StateDir is state_dir, else $STATE_DIRECTORY, else locsync/ inside the git directory of the first project's
// repository that is on this machine.
func StateDir(ctx context.Context, cfg *config.Config) (string, error) {
	if cfg.StateDir != "" {
		return cfg.Resolve(cfg.StateDir), nil
	}
	if dir := GivenState(os.Getenv); dir != "" {
		return dir, nil
	}
	for _, p := range cfg.Projects {
		if p.Cloned() {
			continue
		}
		dir, err := gitops.CommonDir(ctx, cfg.Resolve(p.Repository), gitops.Options{Trust: p.TrustOwner})
		if err != nil {
			return "", &failure.UsageError{Err: p.Blame("repository", err)}
		}
		return filepath.Join(dir, "locsync"), nil
	}
	return "", &failure.UsageError{Err: errors.New("state_dir must name a folder for the state and the clones: no " +
		`project's repository is on this machine; for example state_dir = "state"`)}
}

// GivenState is the state folder that systemd gives, the first one of several; "" for none.
func GivenState(getenv func(string) string) string {
	dir, _, _ := strings.Cut(getenv("STATE_DIRECTORY"), ":")
	return dir
}

// Clones is the folder for clones of remote repositories.
func Clones(stateDir string) string { return filepath.Join(stateDir, "clones") }

// Absolute is a path that means the same in every folder.
func Absolute(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// ClaimDir is the folder of a project's claim; "" where there is no repository, which is for the passes to tell.
func ClaimDir(ctx context.Context, cfg *config.Config, p *config.Project) string {
	if p.Cloned() {
		return "" // each state has a clone of its own
	}
	dir, err := gitops.CommonDir(ctx, cfg.Resolve(p.Repository), gitops.Options{Trust: p.TrustOwner})
	if err != nil {
		return ""
	}
	return ClaimIn(dir, cfg, p)
}

// ClaimIn is ClaimDir in a git directory that is known.
func ClaimIn(commonDir string, cfg *config.Config, p *config.Project) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{cfg.Service.URL, cfg.Service.AccountID, p.ID, p.Pull.Branch}))
	return filepath.Join(commonDir, "locsync", "daemon-"+hex.EncodeToString(sum[:8]))
}

// OtherDaemon is a daemon with another state that keeps a project in sync.
type OtherDaemon struct {
	Project string
	State   string // its state folder
	Holder  string // its process, in words
}

// OtherDaemons are the daemons that keep projects of a configuration in sync and have another state than the one in
// dir: none of them knows what is done here.
func OtherDaemons(ctx context.Context, cfg *config.Config, dir string) []OtherDaemon {
	var others []OtherDaemon
	for i := range cfg.Projects {
		p := &cfg.Projects[i]
		claim := ClaimDir(ctx, cfg, p)
		if claim == "" {
			continue
		}
		if l := boltledger.Claimed(claim); l != nil && l.PID != os.Getpid() && l.Address != Absolute(dir) {
			others = append(others, OtherDaemon{p.Name, l.Address, HolderOf(l)})
		}
	}
	return others
}

// HolderOf tells who has the lock of a state or project.
func HolderOf(l *boltledger.Locked) string {
	if l.PID == 0 {
		return "a process that has only just begun"
	}
	return fmt.Sprintf("process %d, since %s UTC, state in %s", l.PID, l.Since.UTC().Format(time.DateTime), l.Address)
}
