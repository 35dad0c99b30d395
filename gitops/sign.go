package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/repository"
)

// mustSign says whether commits are signed.
func mustSign(repo *repository.Repository) bool {
	s := repo.Options.Signing
	return !s.Never && (s.KeyFile != "" || repo.Settings.Bool("commit.gpgsign", false))
}

// commitObject makes a commit of a tree, some of whose objects are new. Where it must be signed git makes it, as its
// configuration says.
func (t *Tip) commitObject(ctx context.Context, tree hash, news []object.Object, msg Message,
	when time.Time) (object.Object, error) {
	if !mustSign(t.repo) {
		return t.repo.Objects.Format.New(object.Commit, encodeCommit(tree, t.parents, msg, when)), nil
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8"}
	remedy := `set user.signingKey to a key that needs no passphrase here, or pull.sign = "never"`
	if key := t.repo.Options.Signing.KeyFile; key != "" {
		args = append(args, "-c", "gpg.format=ssh", "-c", "user.signingKey="+key)
		remedy = fmt.Sprintf("name a key without a passphrase that this process may read, which %s is not", key)
	}
	made, err := t.signed(ctx, args, tree, news, msg, when)
	if err != nil {
		return object.Object{}, fmt.Errorf("%w: %w; %s", ErrSign, err, remedy)
	}
	return made, nil
}

// encodeCommit writes a commit as git does.
func encodeCommit(tree hash, parents []hash, msg Message, when time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := msg.Author.at(when)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s\n", who, who, cleanMessage(msg.Text))
	return []byte(b.String())
}

func cleanMessage(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\ufffd")
	return strings.Trim(strings.ReplaceAll(s, "\x00", ""), "\n")
}

// signed lets git make a signed commit, in a folder that is thrown away; git asks that what the commit names is there.
func (t *Tip) signed(ctx context.Context, args []string, tree hash, news []object.Object, msg Message,
	when time.Time) (object.Object, error) {
	w, err := t.files.Workbench(nil)
	if err != nil {
		return object.Object{}, err
	}
	defer w.Close()
	args = append(args, "commit-tree", "-S", "-F", "-", tree.String())
	for _, p := range t.parents {
		args = append(args, "-p", p.String())
	}
	for _, o := range news {
		if o.Name == tree {
			if err := w.Put(o); err != nil {
				return object.Object{}, err
			}
		}
	}
	who, date := msg.Author.clean(), fmt.Sprintf("@%d %s", when.Unix(), when.Format("-0700"))
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		w.Env = append(w.Env, "GIT_"+role+"_NAME="+who.Name, "GIT_"+role+"_EMAIL="+who.Email, "GIT_"+role+"_DATE="+date)
	}
	out, err := w.Run(ctx, []byte(cleanMessage(msg.Text)+"\n"), args...)
	if err != nil {
		return object.Object{}, err
	}
	objects, err := w.Made()
	made, ok := objects[hashIn(out)]
	if err == nil && (!ok || !bytes.Contains(made.Data, []byte("\ngpgsig"))) {
		err = fmt.Errorf("git commit-tree printed %.80q, which is not a signed commit", out)
	}
	return made, err
}

// hashIn is the object's name that a git command printed.
func hashIn(out []byte) hash {
	h, _ := object.Parse(strings.TrimSpace(string(out)))
	return h
}
