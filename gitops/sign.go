package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/run"
)

// Signing says how commits are signed.
type Signing struct {
	// Never makes commits without a signature, whatever git's configuration says.
	Never bool
	// KeyFile is the private key of an ssh key pair without a passphrase; commits are signed with it whatever git's
	// configuration says. "": as git's configuration says (commit.gpgSign, gpg.format, user.signingKey, gpg.*.program).
	KeyFile string
}

// ErrSign means that a commit must be signed and could not be. Nothing was written.
var ErrSign = errors.New("the commit cannot be signed")

// signer makes the signature of a commit; nil where commits are not signed.
type signer func(ctx context.Context, payload []byte) (string, error)

// signerFor follows git's rules (git-config: commit.gpgSign, gpg.format, user.signingKey), for who makes the commit.
func (r *Repo) signerFor(who Person) (signer, error) {
	s := r.o.Signing
	switch {
	case s.Never:
		return nil, nil
	case s.KeyFile != "":
		return r.signBySSH(s.KeyFile), nil
	case !r.set.bool("commit.gpgsign", false):
		return nil, nil
	}
	key := r.set.get("user.signingkey")
	switch format := strings.ToLower(or(r.set.get("gpg.format"), "openpgp")); format {
	case "ssh":
		if key == "" {
			return nil, fmt.Errorf("%w: commit.gpgSign is set and gpg.format is ssh, but user.signingKey names no key", ErrSign)
		}
		return r.signBySSH(key), nil
	case "openpgp", "x509":
		program := or(or(r.set.file("gpg."+format+".program"), r.set.file("gpg.program")), map[string]string{"openpgp": "gpg", "x509": "gpgsm"}[format])
		return r.signByGPG(program, or(key, who.Name+" <"+who.Email+">")), nil
	default:
		return nil, fmt.Errorf("%w: gpg.format %q is %w; openpgp, ssh and x509 are", ErrSign, format, ErrUnsupported)
	}
}

func (r *Repo) signByGPG(program, key string) signer {
	return func(ctx context.Context, payload []byte) (string, error) {
		out, said, err := r.runSigner(ctx, payload, program, "--batch", "--status-fd=2", "-bsau", key)
		if err == nil && !strings.Contains(said, "[GNUPG:] SIG_CREATED ") {
			err = errors.New("it made no signature")
		}
		if err != nil {
			return "", fmt.Errorf("%w with the key %q: %w; set user.signingKey to a key that needs no passphrase here, or pull.sign = \"never\"", ErrSign, key, err)
		}
		return string(out), nil
	}
}

// signBySSH signs with a key file, or with a key that git's configuration has in full and the agent holds.
func (r *Repo) signBySSH(key string) signer {
	return func(ctx context.Context, payload []byte) (signature string, err error) {
		dir, err := os.MkdirTemp("", "locsync-sign-")
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrSign, err)
		}
		defer func() {
			if rerr := os.RemoveAll(dir); err == nil {
				err = rerr
			}
		}()
		args := []string{"-Y", "sign", "-n", "git", "-f", key}
		if literal, ok := strings.CutPrefix(key, "key::"); ok || strings.HasPrefix(key, "ssh-") {
			file := filepath.Join(dir, "key.pub")
			if err := os.WriteFile(file, []byte(literal+"\n"), 0o600); err != nil {
				return "", fmt.Errorf("%w: %w", ErrSign, err)
			}
			args[len(args)-1] = file
			args = append(args, "-U")
		} else if rest, ok := strings.CutPrefix(key, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				args[len(args)-1] = filepath.Join(home, rest)
			}
		}
		buffer := filepath.Join(dir, "commit")
		if err := os.WriteFile(buffer, payload, 0o600); err != nil {
			return "", fmt.Errorf("%w: %w", ErrSign, err)
		}
		if _, _, err := r.runSigner(ctx, nil, or(r.set.file("gpg.ssh.program"), "ssh-keygen"), append(args, buffer)...); err != nil {
			return "", fmt.Errorf("%w with the ssh key %s: %w; name a key without a passphrase, or one that the agent of this process holds", ErrSign, key, err)
		}
		made, err := os.ReadFile(buffer + ".sig")
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrSign, err)
		}
		return string(made), nil
	}
}

// runSigner runs a signing program, which finds no terminal to ask on.
func (r *Repo) runSigner(ctx context.Context, stdin []byte, program string, args ...string) (out []byte, said string, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = run.Env(os.Environ())
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = run.Group(ctx, cmd); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if err != nil {
		if words := run.LastLines(stderr.String(), 3); words != "" {
			err = errors.New(filepath.Base(program) + ": " + words)
		}
	}
	return stdout.Bytes(), stderr.String(), err
}

// signed puts a signature into a commit as git does: a header behind the committer, its lines one space to the right.
func signed(f object.Format, payload []byte, signature string) []byte {
	header := "gpgsig"
	if f != object.SHA1 {
		header += "-" + f.String()
	}
	head, body, _ := bytes.Cut(payload, []byte("\n\n"))
	lines := strings.ReplaceAll(strings.TrimRight(strings.ReplaceAll(signature, "\r\n", "\n"), "\n"), "\n", "\n ")
	return fmt.Appendf(nil, "%s\n%s %s\n\n%s", head, header, lines, body)
}
