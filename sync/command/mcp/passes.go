package mcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// How the lists of these tools are sorted.
var (
	byProject  = sorted[projectStatus]{"projects", func(p projectStatus) position { return at(p.Project) }, nil}
	byPlan     = sorted[planned]{"changes", ofPlanned, nil}
	byConflict = sorted[report.Conflict]{"conflicts", ofConflict, nil}
	byProblem  = sorted[projectProblem]{"problems", ofProblem, nil}

	// Problems of one project.
	withoutProject = sorted[report.Problem]{"problems of a project",
		func(p report.Problem) position { return ofProblem(projectProblem{"", p}) }, nil}
)

// ofProblem is where a problem belongs: its line is not in it, for the lines of those that stay change.
func ofProblem(p projectProblem) position {
	return at(p.Project, p.File, p.Key, p.Language, p.Code, p.Problem)
}

func ofConflict(c report.Conflict) position { return at(c.Project, c.File, c.Key, c.Language) }

// wholeIn asks about projects.
type wholeIn struct {
	Project string `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	page
}

// projectStatus is the status of a project in a few lines.
type projectStatus struct {
	Project   string                  `json:"project"`
	State     string                  `json:"state,omitempty"`
	Pending   int                     `json:"pending"`
	Removed   int                     `json:"removed"`
	Conflicts int                     `json:"conflicts"`
	Problems  int                     `json:"problems"`
	LastPush  *report.Past            `json:"last_push,omitempty"`
	LastPull  *report.Past            `json:"last_pull,omitempty"`
	Languages []report.LanguageStatus `json:"languages"`
}

// statusOut is the answer of status.
type statusOut struct {
	Daemon   report.Daemon         `json:"daemon"`
	Projects list[projectStatus]   `json:"projects"`
	Problems *list[report.Problem] `json:"problems,omitempty"` // of one project
}

func (s *server) status(ctx context.Context, r *sdk.CallToolRequest, in wholeIn) (statusOut, error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return statusOut{}, err
	}
	now, err := command.Status(ctx, c.cfg, in.Project, s.o.Process.Log)
	if err != nil {
		return statusOut{}, err
	}
	now = now.Only(in.Project)
	all := make([]projectStatus, 0, len(now.Projects))
	for _, p := range now.Projects {
		all = append(all, projectStatus{p.Name, p.State, p.Pending, p.Removed, len(p.Conflicts), len(p.Problems), p.LastPush,
			p.LastPull, p.Languages})
	}
	out := statusOut{Daemon: now.Daemon}
	if len(all) != 1 {
		out.Projects, err = paged(all, in.page, byProject)
		return out, err
	}
	problems, err := paged(forAgents(now.Projects[0].Problems), in.page, withoutProject)
	out.Projects, out.Problems = list[projectStatus]{Total: 1, Items: all}, &problems
	return out, err
}

// checkIn says what a check looks for.
type checkIn struct {
	Project  string `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	Since    string `json:"since,omitempty" jsonschema:"a commit or branch: only problems of keys that changed since then"`
	Stale    bool   `json:"stale,omitempty" jsonschema:"also translations that are older than their source text"`
	Severity string `json:"severity,omitempty" jsonschema:"error: leave out the warnings"`
	page
}

// checkOut is the answer of check.
type checkOut struct {
	Files    int                  `json:"files"`
	Keys     int                  `json:"keys"`
	Errors   int                  `json:"errors"`
	Warnings int                  `json:"warnings"`
	Problems list[projectProblem] `json:"problems"`
}

// projectProblem is a problem and whose it is.
type projectProblem struct {
	Project string `json:"project"`
	problem
}

// switchedOff is how a remedy offers, after another one, to switch a check off.
var switchedOff = regexp.MustCompile(`(; if it is meant so, add|, or switch the check off with) skip_checks.*`)

// forAgent is a problem as an agent is to read it, without long keys and texts: to switch a check off is for people to
// decide.
func forAgent(p report.Problem) report.Problem {
	p.Remedy = switchedOff.ReplaceAllString(p.Remedy, "")
	if strings.Contains(p.Remedy, "skip_checks") {
		p.Remedy = "correct the translation"
	}
	p.Key, p.Problem, p.Remedy = cut(p.Key, mostKey), cut(p.Problem, mostText), cut(p.Remedy, mostText)
	return p
}

// forAgents are problems as an agent is to read them.
func forAgents(problems []report.Problem) []report.Problem {
	all := make([]report.Problem, 0, len(problems))
	for _, p := range problems {
		all = append(all, forAgent(p))
	}
	return all
}

// problem has a member of its own name, which would be hidden in the schema if both were spelled alike.
type problem = report.Problem

func (s *server) check(ctx context.Context, r *sdk.CallToolRequest, in checkIn) (checkOut, error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return checkOut{}, err
	}
	if in.Severity != "" && in.Severity != report.Error {
		return checkOut{}, failure.Usage(fmt.Errorf("severity %q is none; use error, or leave it out", in.Severity))
	}
	found, err := command.Check(ctx, c.cfg, s.o.Process.Log, inspect.Options{Since: in.Since, Stale: in.Stale}, c.progress)
	if err != nil {
		return checkOut{}, err
	}
	out, all := checkOut{}, []projectProblem{}
	for _, p := range found.Projects {
		if in.Project != "" && p.Name != in.Project {
			continue
		}
		out.Files += len(p.Files)
		out.Keys += p.Keys
		for _, problem := range p.Problems {
			if problem.Severity == report.Error {
				out.Errors++
			} else {
				out.Warnings++
			}
			if in.Severity == "" || problem.Severity == in.Severity {
				all = append(all, projectProblem{p.Name, forAgent(problem)})
			}
		}
	}
	out.Problems, err = paged(all, in.page, byProblem)
	return out, err
}

// planIn says which pass is planned.
type planIn struct {
	Project string `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	Pass    string `json:"pass,omitempty" jsonschema:"push, pull or sync (both, where it is missing)"`
	page
}

// planned is a text that a pass would change.
type planned struct {
	Project  string  `json:"project"`
	Pass     string  `json:"pass"` // push: at the service; pull: in the repository
	File     string  `json:"file"`
	Language string  `json:"language"`
	Key      string  `json:"key,omitempty"`
	Form     string  `json:"form,omitempty"`
	Old      *string `json:"old,omitempty"`
	New      *string `json:"new,omitempty"`
}

// ofPlanned is where a change belongs: what is sent precedes what is committed.
func ofPlanned(p planned) position {
	return at(fmt.Sprint(p.Pass == "pull"), p.Project, p.File, p.Key, p.Language, p.Form)
}

// planOut is the answer of plan.
type planOut struct {
	Push     int                  `json:"push"` // texts that would be sent
	Pull     int                  `json:"pull"` // texts that would be committed
	Changes  list[planned]        `json:"changes"`
	Problems list[projectProblem] `json:"problems"` // what would be left out
}

func (s *server) plan(ctx context.Context, r *sdk.CallToolRequest, in planIn) (planOut, error) {
	want := web.Request{Action: in.Pass, Push: push.Options{Project: in.Project, DryRun: true, Patient: true},
		Pull: pull.Options{Project: in.Project, DryRun: true}}
	switch in.Pass {
	case "":
		want.Action = "sync"
	case "push", "pull", "sync":
	default:
		return planOut{}, failure.Usage(fmt.Errorf("pass %q is none; use push, pull or sync", in.Pass))
	}
	answer, err := s.pass(ctx, r, in.Project, want)
	if err != nil {
		return planOut{}, err
	}
	var out planOut
	var changes []planned
	var problems []projectProblem
	note := func(project string, all []report.Problem) {
		for _, p := range all {
			problems = append(problems, projectProblem{project, forAgent(p)})
		}
	}
	for _, p := range answer.Push.Projects {
		note(p.Name, p.Problems)
		for _, f := range p.Files {
			for _, v := range f.Changes {
				changes = append(changes, planned{p.Name, "push", f.Path, f.Language, v.Key, v.Form, v.Old, v.New})
				out.Push++
			}
		}
	}
	for _, p := range answer.Pull.Projects {
		note(p.Name, p.Problems)
		for _, f := range p.Files {
			for _, v := range f.Changes {
				changes = append(changes, planned{p.Name, "pull", f.Path, f.Language, v.Key, v.Form, v.Old, v.New})
				out.Pull++
			}
		}
	}
	out.Changes, err = paged(changes, in.page.in(byPlan.name), byPlan)
	if err == nil {
		out.Problems, err = paged(problems, in.page.in(byProblem.name), byProblem)
	}
	return out, err
}

// pass makes a pass, or has the daemon make it.
func (s *server) pass(
	ctx context.Context, r *sdk.CallToolRequest, project string, want web.Request,
) (web.Answer, error) {
	c, err := s.begin(ctx, r, project)
	if err != nil {
		return web.Answer{}, err
	}
	o := s.o.Process
	o.Progress = c.progress
	o.Patient = false // an agent is told at once that the service is down, and calls again
	return command.Pass(ctx, c.cfg, o, want, func(other process.OtherDaemon) {
		o.Log.Warn("another daemon manages a project and does not know what is done here",
			zap.String("project", other.Project), zap.String("daemon", other.Holder))
	})
}

func (s *server) conflicts(ctx context.Context, r *sdk.CallToolRequest, in wholeIn) (list[report.Conflict], error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return list[report.Conflict]{}, err
	}
	all, err := command.Conflicts(ctx, c.cfg, in.Project)
	if err != nil {
		return list[report.Conflict]{}, err
	}
	return paged(all, in.page, byConflict)
}

// decideIn says which conflicts are decided, and for which side.
type decideIn struct {
	Project   string   `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	Side      string   `json:"side" jsonschema:"ours: the repository's texts; theirs: the service's"`
	Keys      []string `json:"keys" jsonschema:"the keys, as conflicts names them"`
	Languages []string `json:"languages,omitempty" jsonschema:"only in these languages"`
	Files     []string `json:"files,omitempty" jsonschema:"only in these translated files, as conflicts names them"`
	DryRun    bool     `json:"dry_run,omitempty" jsonschema:"only say what would be decided"`
}

// decideOut is the answer of decide.
type decideOut struct {
	DryRun        bool             `json:"dry_run,omitempty"`
	Settled       []report.Settled `json:"settled"` // as many as fit: conflicts has those that are still open
	SettledTotal  int              `json:"settled_total"`
	Problems      []report.Problem `json:"problems"` // as many as fit
	ProblemsTotal int              `json:"problems_total"`
}

func (s *server) decide(ctx context.Context, r *sdk.CallToolRequest, in decideIn) (decideOut, error) {
	switch {
	case in.Side != "ours" && in.Side != "theirs":
		return decideOut{}, failure.Usage(fmt.Errorf("side %q is none; use ours or theirs", in.Side))
	case len(in.Keys) == 0:
		return decideOut{}, failure.Usage(errors.New("no key is named; name those to decide about"))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	answer, err := s.pass(ctx, r, in.Project, web.Request{Action: "push", Push: push.Options{Project: in.Project,
		DryRun: in.DryRun, Patient: true, Alone: true, Ours: in.Side == "ours", Theirs: in.Side == "theirs", Keys: in.Keys,
		Languages: in.Languages, Files: in.Files}})
	if err != nil {
		return decideOut{}, err
	}
	out := decideOut{DryRun: in.DryRun}
	var settled []report.Settled
	var problems []report.Problem
	for _, p := range answer.Push.Projects {
		settled = append(settled, p.Settled...)
		for _, problem := range p.Problems {
			if slices.Contains(in.Keys, problem.Key) {
				problems = append(problems, forAgent(problem))
			}
		}
	}
	out.Settled, out.SettledTotal, err = firstOf(settled)
	if err == nil {
		out.Problems, out.ProblemsTotal, err = firstOf(problems)
	}
	return out, err
}
