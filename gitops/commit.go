package gitops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
)

// Commit makes a commit on a tip that branch is to have next, and keeps it in refs/locsync/<branch> until Push
// delivered it. Nothing else moves. files are whole contents by path relative to the repository; nil deletes. Content
// is stored as the branch's .gitattributes say (line ends, encoding, $Id$, filters); an existing file keeps its mode
// and the spelling of its name. On a Tip of Merge the commit is a merge commit. The same input gives the same commit,
// unless it is signed with a signature that has a time.
//
// Order: objects into one pack, reserved and synced; then the reference; then the reservation goes. A crash before the
// reference leaves garbage that the next git gc takes; after it, the commit is found by Pending.
//
// Errors: ErrSign when the commit must be signed and cannot be; ErrNothing when no file differs and there is nothing
// to merge; *BadPaths (ErrPath) before anything was written; ErrMoved when an earlier commit for the branch waits to
// be delivered or dropped.
func (r *Repo) Commit(ctx context.Context, on *Tip, branch string, files map[string][]byte, msg Message) (*Tip, error) {
	return r.Chain(ctx, on, branch, []Step{{files, msg}})
}

// compose makes one commit on a tip, in memory: it gives the tip of it and all that is new in it.
func (r *Repo) compose(ctx context.Context, on *Tip, branch string, files map[string][]byte, msg Message) (*Tip, []object.Object, error) {
	e, changes, err := plan(ctx, on, files)
	if err != nil {
		return nil, nil, err
	}
	root, err := e.apply(changes)
	if err != nil {
		return nil, nil, err
	}
	if len(on.parents) == 1 && root == on.tree {
		return nil, nil, ErrNothing
	}
	objects, err := e.needed(root)
	if err != nil {
		return nil, nil, err
	}
	next := &Tip{repo: r, branch: branch, tree: root, lease: lease{remote: r.o.Remote}, base: on.base, there: on.there}
	if branch == on.branch {
		next.lease, next.here = on.lease, on.here
	}
	if next.when = msg.When.Truncate(time.Second); msg.When.IsZero() {
		next.when = r.now().Truncate(time.Second)
	}
	if !next.when.After(on.when) {
		next.when = on.when.Add(time.Second)
	}
	made, err := r.commitObject(ctx, on, root, objects, msg, next.when)
	if err != nil {
		return nil, nil, err
	}
	next.commit, next.parents = made.Name, []hash{made.Name}
	next.extra = map[hash]object.Object{}
	return next, append(objects, made), nil
}

var errWaits = fmt.Errorf("%w: an earlier commit for it is not delivered yet; Push or Drop it first", ErrMoved)

// treesOf keeps the new trees at hand: whoever reads the new tip reads them first.
func treesOf(objects []object.Object) map[hash]object.Object {
	trees := map[hash]object.Object{}
	for _, o := range objects {
		if o.Kind == object.Tree {
			trees[o.Name] = o
		}
	}
	return trees
}

// keepPending writes the objects and points the branch's outbox at them.
func (r *Repo) keepPending(ctx context.Context, next *Tip, objects []object.Object, note hash) error {
	p, err := r.objects.WritePack(len(objects), func(i int) (object.Object, error) { return objects[i], nil })
	if err != nil {
		return err
	}
	r.step("packed")
	release, err := r.refs.Guard(ctx)
	if err != nil {
		return errors.Join(err, p.Drop())
	}
	defer release()
	unreserve, err := r.objects.Install(p)
	if err != nil {
		return fmt.Errorf("install pack: %w", err)
	}
	defer unreserve()
	err = r.refs.SwapGuarded(ctx, outbox(next.branch), hash{}, note, "")
	if errors.Is(err, ErrMoved) {
		return errWaits
	}
	r.step("kept")
	return err
}

// outbox is where a commit waits for its delivery.
func outbox(branch string) string { return "refs/locsync/" + branch }

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

// at is the person with a time as commits, tags and logs have it.
func (p Person) at(when time.Time) string {
	p = p.clean()
	return fmt.Sprintf("%s <%s> %d %s", p.Name, p.Email, when.Unix(), when.Format("-0700"))
}

// clean is the person without what git takes out of names.
func (p Person) clean() Person {
	clean := func(s string) string {
		s = strings.Map(func(c rune) rune {
			if c < ' ' || c == '<' || c == '>' || c == 0x7f {
				return -1
			}
			return c
		}, strings.ToValidUTF8(s, ""))
		return strings.Trim(s, " .,:;\"'\\")
	}
	return Person{or(clean(p.Name), "locsync"), or(clean(p.Email), "locsync@localhost")}
}

// encodeOutbox writes the tag object that the outbox reference points at: the commit, and the lease that Push needs
// after a restart. In the reference's own object both change in one move.
//
//	object <commit> / type commit / tag <branch> / tagger …
//
//	remote: <name, empty for this repository>
//	lease: <commit, empty when the branch must not exist>
func encodeOutbox(commit hash, branch string, l lease, who Person, when time.Time) []byte {
	return fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s\n\nremote: %s\nlease: %s\n",
		commit, strings.ReplaceAll(branch, "/", "-"), who.at(when), l.remote, l.at.Text())
}

func parseOutbox(b []byte) (commit hash, l lease, err error) {
	for line := range strings.Lines(string(b)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "object":
			commit, _ = object.Parse(rest)
		case "remote:":
			l.remote = rest
		case "lease:":
			l.at, _ = object.Parse(rest)
		}
	}
	if commit.IsZero() {
		err = errors.New("it is not a tag of a commit")
	}
	return commit, l, err
}

// Pending gives the commit that was made for a branch and not delivered yet, to be given to Push; nil when there is
// none.
func (r *Repo) Pending(branch string) (*Tip, error) {
	name := outbox(branch)
	note, ok, err := r.refs.Read(name)
	if err != nil || !ok {
		return nil, err
	}
	data, err := r.objects.ReadAs(object.Tag, note)
	if err == nil {
		var c hash
		var l lease
		if c, l, err = parseOutbox(data); err == nil {
			var tip *Tip
			if tip, err = r.tipAt(branch, c); err == nil {
				tip.lease = l
				return tip, nil
			}
		}
	}
	return nil, fmt.Errorf("read the commit that waits in %s: %w", name, err)
}

// Drop forgets the commit that waits for a branch, because it must be computed again on another tip. Nothing happens
// when none waits.
func (r *Repo) Drop(branch string) error {
	ctx, end := r.watch(context.Background())
	defer end()
	note, ok, err := r.refs.Read(outbox(branch))
	if err == nil && ok {
		err = r.refs.Remove(ctx, outbox(branch), note)
	}
	if err != nil {
		return fmt.Errorf("drop the commit that waits for %s: %w", branch, withRemedy(err))
	}
	return nil
}

// tipAt makes the tip of a commit that is in the store.
func (r *Repo) tipAt(branch string, h hash) (*Tip, error) {
	c, err := r.history.Commit(h)
	if err != nil {
		return nil, err
	}
	return &Tip{repo: r, branch: branch, commit: h, tree: c.Tree, parents: []hash{h}, when: time.Unix(c.When, 0),
		lease: lease{remote: r.o.Remote}}, nil
}
