package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/service/documents"
)

func taskOperations() []*Operation {
	var filter documents.TaskFilter
	var until time.Time
	shortlist := false
	return []*Operation{
		{
			Name: "tasks", On: Documents, Document: document.Tasks{},
			Short:   "List the tasks of a project, and give them out",
			Example: "  locsync tasks --id $ID\n  locsync tasks --id $ID --currency EUR --json",
			Flags: []Flag{{Name: "currency", Usage: "`CODE` of the currency that costs are given in (default USD)",
				Value: &filter.Currency}},
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				tasks, err := documents.TasksOf(s.Client).List(ctx, s.ID, filter)
				return Listed(document.Tasks{Tasks: append([]documents.Task{}, tasks...)},
					"there are no tasks: a document that is pushed makes one for each language"), err
			},
		},
		{
			Name: "tasks assign", Args: "TASK PERSON...", On: Documents, Least: 2, Wants: "a task and at least one person",
			Lists: "locsync tasks",
			Short: "Give a task to members of the team, by id or e-mail address",
			Example: "  locsync tasks assign $TASK ann@example.com --id $ID\n  locsync tasks assign $TASK ann@example.com " +
				"bo@example.com --shortlist --id $ID",
			Flags: []Flag{{Name: "shortlist", Usage: "put them on the list of candidates only", Value: &shortlist}},
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				people, err := s.people(ctx, args[1:])
				if err != nil {
					return Result{}, err
				}
				err = documents.TasksOf(s.Client).Assign(ctx, s.ID, args[0], people, shortlist)
				return Result{Document: document.Object{"task": args[0], "userIds": people},
					Text: "assigned to " + strings.Join(args[1:], ", ") + "\n"}, err
			},
		},
		{
			Name: "tasks deadline", Args: "TASK TIME", On: Documents, Least: 2, Most: 2, Wants: "a task and a time",
			Lists: "locsync tasks",
			Short: "Set until when a task is to be done; none takes that away",
			Example: "  locsync tasks deadline $TASK 2027-01-31T18:00:00Z --id $ID\n" +
				"  locsync tasks deadline $TASK none --id $ID",
			Check: func(args []string) (err error) {
				if args[1] == "none" {
					return nil
				}
				until, err = time.Parse(time.RFC3339, args[1])
				if err != nil {
					return fmt.Errorf("invalid deadline %q; use a time such as 2027-01-31T18:00:00Z, or none", args[1])
				}
				return nil
			},
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				err := documents.TasksOf(s.Client).SetDeadline(ctx, s.ID, args[0], until)
				return Result{Document: document.Object{"task": args[0], "deadline": args[1]},
					Text: "deadline " + args[1] + "\n"}, err
			},
		},
		{
			Name: "tasks team", On: Documents, Document: document.Team{},
			Short:   "List the members of the account's team",
			Example: "  locsync tasks team\n  locsync tasks team --json",
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				team, err := documents.TasksOf(s.Client).Team(ctx)
				return Listed(document.Team{Members: append([]documents.TeamMember{}, team...)}, "the team has no members"), err
			},
		},
	}
}

// people are the identifiers of team members that were named by identifier or address.
func (s *Session) people(ctx context.Context, named []string) ([]string, error) {
	team, err := documents.TasksOf(s.Client).Team(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, name := range named {
		i := slices.IndexFunc(team, func(m documents.TeamMember) bool {
			return m.ID == name || strings.EqualFold(m.Email, name)
		})
		if i < 0 {
			return nil, misuse(fmt.Errorf("the team has no member %s; see locsync tasks team", name))
		}
		ids = append(ids, team[i].ID)
	}
	return ids, nil
}
