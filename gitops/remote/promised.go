package remote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops/object"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// Objects that a partial clone left out. Only the git program knows how to ask the remote for them.

// Absent reads an object that a partial clone left out, and was asked for by itself.
func Absent(r *repository.Repository, k object.Kind, h object.Name) (data []byte, err error) {
	ctx, end := r.WatchRead()
	defer end()
	if err = FetchPromised(ctx, r, []object.Name{h}); err == nil {
		_, data, err = r.Objects.Read(h)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", outcome.ErrUnfetched, k, h, err)
	}
	return data, nil
}

// FetchPromised lets git fetch objects by name, as it does itself for a checkout.
func FetchPromised(ctx context.Context, r *repository.Repository, list []object.Name) (err error) {
	defer outcome.Tell(r.Options.Done, outcome.Blobs, time.Now(), &err)
	name := r.Settings.Promisor()
	if name == "" {
		return outcome.ErrUnfetched
	}
	var in strings.Builder
	for _, h := range list {
		in.WriteString(h.String() + "\n")
	}
	_, err = r.Run(ctx, run.Call{Args: []string{"-c", "fetch.negotiationAlgorithm=noop", "fetch", name, "--progress",
		"--no-tags",
		"--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin"}, Stdin: []byte(in.String()),
		Env: PromisorEnvironment(ctx, r), Write: true})
	return err
}

// PromisorEnvironment gives our credentials to the promisor where it is our remote.
func PromisorEnvironment(ctx context.Context, r *repository.Repository) []string {
	name := r.Options.Remote
	if r.Settings.Promisor() != name {
		return nil
	}
	return at(r, name, r.Settings.RemoteURL(name)).Environment(ctx)
}
