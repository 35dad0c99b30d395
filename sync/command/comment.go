package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/gitops/forge"
)

// Request is the pull or merge request that a CI job runs for.
type Request struct {
	Since string // the branch that it is to go into, as a clone has it

	job  forge.Job
	page string // of the job's output; "" where the CI system does not tell
}

// Verdict is what a check says of a request.
type Verdict struct {
	Comment string // Markdown; "": nothing needs to be said
	Title   string // in a few words
	Passed  bool
}

// RequestAtHand reads the variables of the CI system. An error tells that they name no request, or what they lack.
func RequestAtHand(getenv func(string) string) (Request, error) {
	job, err := forge.JobOf(getenv)
	r := Request{Since: "origin/" + job.Base, job: job, page: cmp.Or(getenv("CI_JOB_URL"), getenv("BUILD_URL"))}
	if run := getenv("GITHUB_RUN_ID"); run != "" {
		r.page = fmt.Sprintf("%s/%s/actions/runs/%s", job.URL, job.Repository, run)
	}
	return r, err
}

// statusName is the status that a branch's rules can ask for.
const statusName = "locsync/translations"

// Say leaves one comment at the request, and sets its status. An error tells what could not be said there: a job for a
// fork may only read.
func (r Request) Say(ctx context.Context, v Verdict) error {
	if r.job.Token == "" {
		return errors.New("the job has no token for its host; put one into the variable LOCSYNC_FORGE_TOKEN")
	}
	f, err := r.job.Forge("locsync")
	if err != nil {
		return err
	}
	_, err = forge.Comment(ctx, f, r.job.Number, v.Comment, fmt.Sprintf("**Translations: %s**", v.Title))
	return errors.Join(err, forge.Mark(ctx, f, r.job.Number, r.job.Commit,
		forge.Status{Name: statusName, Passed: v.Passed, Title: v.Title, URL: r.page}))
}
