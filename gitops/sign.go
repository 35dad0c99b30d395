package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/gitops/object"
)

// Signing says how commits are signed.
type Signing struct {
	// Never makes commits without a signature, whatever git's configuration says.
	Never bool
	// KeyFile is the private key of an ssh key pair without a passphrase; commits are signed with it whatever git's configuration says.
	// "": as git's configuration says (commit.gpgSign, gpg.format, user.signingKey, gpg.*.program, gpg.ssh.defaultKeyCommand).
	KeyFile string
}

// ErrSign means that a commit must be signed and could not be. Nothing was written.
var ErrSign = errors.New("the commit cannot be signed")

func (r *Repo) signs() bool {
	s := r.o.Signing
	return !s.Never && (s.KeyFile != "" || r.set.bool("commit.gpgsign", false))
}

// commitObject makes a commit of a tree, some of whose objects are new. Where it must be signed git makes it, as its
// configuration says.
func (r *Repo) commitObject(ctx context.Context, on *Tip, tree hash, news []object.Object, msg Message, when time.Time) (object.Object, error) {
	if !r.signs() {
		return r.objects.Format.New(object.Commit, encodeCommit(tree, on.parents, msg, when)), nil
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8"}
	remedy := `set user.signingKey to a key that needs no passphrase here, or pull.sign = "never"`
	if key := r.o.Signing.KeyFile; key != "" {
		args = append(args, "-c", "gpg.format=ssh", "-c", "user.signingKey="+key)
		remedy = fmt.Sprintf("name a key without a passphrase that this process may read, which %s is not", key)
	}
	made, err := on.signed(ctx, args, tree, news, msg, when)
	if err != nil {
		return object.Object{}, fmt.Errorf("%w: %w; %s", ErrSign, err, remedy)
	}
	return made, nil
}

// signed lets git make a signed commit, in a folder that is thrown away; git asks that what the commit names is there.
func (t *Tip) signed(ctx context.Context, args []string, tree hash, news []object.Object, msg Message, when time.Time) (object.Object, error) {
	w, err := t.workbench(nil)
	if err != nil {
		return object.Object{}, err
	}
	defer w.close()
	args = append(args, "commit-tree", "-S", "-F", "-", tree.String())
	for _, p := range t.parents {
		args = append(args, "-p", p.String())
		if o, ok := t.extra[p]; ok {
			news = append(news, o)
		}
	}
	for _, o := range news {
		if o.Kind == object.Commit || o.Name == tree {
			if err := w.put(o); err != nil {
				return object.Object{}, err
			}
		}
	}
	who, date := msg.Author.clean(), fmt.Sprintf("@%d %s", when.Unix(), when.Format("-0700"))
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		w.env = append(w.env, "GIT_"+role+"_NAME="+who.Name, "GIT_"+role+"_EMAIL="+who.Email, "GIT_"+role+"_DATE="+date)
	}
	out, err := w.run(ctx, []byte(cleanMessage(msg.Text)+"\n"), args...)
	if err != nil {
		return object.Object{}, err
	}
	objects, err := object.Loose(filepath.Join(w.root, "objects"))
	made, ok := objects[hashIn(out)]
	if err == nil && (!ok || !bytes.Contains(made.Data, []byte("\ngpgsig"))) {
		err = fmt.Errorf("git commit-tree printed %.80q, which is not a signed commit", out)
	}
	return made, err
}

// put writes an object that is in memory only to where git looks for it.
func (w workbench) put(o object.Object) error {
	var b bytes.Buffer
	zip := zlib.NewWriter(&b)
	_, err := fmt.Fprintf(zip, "%s %d\x00%s", o.Kind, len(o.Data), o.Data)
	name := o.Name.String()
	folder := filepath.Join(w.root, "objects", name[:2])
	return errors.Join(err, zip.Close(), os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name[2:]), b.Bytes(), 0o600))
}
