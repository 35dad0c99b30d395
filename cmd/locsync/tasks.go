package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/document"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/documents"
)

func tasksCommand(a *app) *cobra.Command {
	t := target{documents: true}
	var f documents.TaskFilter
	c := &cobra.Command{
		Use:     "tasks",
		Short:   "List the tasks of a project, and give them out",
		Example: "  locsync tasks --id $ID\n  locsync tasks --id $ID --currency EUR --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				tasks, err := documents.TasksOf(d.client).List(ctx, d.id, f)
				if err != nil {
					return err
				}
				return a.sayList(document.Tasks{Tasks: append([]documents.Task{}, tasks...)},
					"there are no tasks: a document that is pushed makes one for each language")
			})
		},
	}
	t.flags(c)
	c.Flags().StringVar(&f.Currency, "currency", "", "`CODE` of the currency that costs are given in (default USD)")
	listsAlone(c)
	c.AddCommand(tasksAssignCommand(a), tasksDeadlineCommand(a), tasksTeamCommand(a))
	return c
}

func tasksAssignCommand(a *app) *cobra.Command {
	t := target{documents: true, lists: "locsync tasks"}
	shortlist := false
	c := &cobra.Command{
		Use:   "assign TASK PERSON...",
		Short: "Give a task to members of the team, by id or e-mail address",
		Example: "  locsync tasks assign $TASK ann@example.com --id $ID\n  locsync tasks assign $TASK ann@example.com " +
			"bo@example.com --shortlist --id $ID",
		Args: atLeast(2, "a task and at least one person"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				people, err := d.people(ctx, args[1:])
				if err != nil {
					return err
				}
				if err := documents.TasksOf(d.client).Assign(ctx, d.id, args[0], people, shortlist); err != nil {
					return err
				}
				return a.sayDone(document.Object{"task": args[0], "userIds": people}, "assigned to %s\n",
					strings.Join(args[1:], ", "))
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&shortlist, "shortlist", false, "put them on the list of candidates only")
	return c
}

// people are the identifiers of team members that were named by identifier or address.
func (d *session) people(ctx context.Context, named []string) ([]string, error) {
	team, err := documents.TasksOf(d.client).Team(ctx)
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

func tasksDeadlineCommand(a *app) *cobra.Command {
	t := target{documents: true, lists: "locsync tasks"}
	c := &cobra.Command{
		Use:     "deadline TASK TIME",
		Short:   "Set until when a task is to be done; none takes that away",
		Example: "  locsync tasks deadline $TASK 2027-01-31T18:00:00Z --id $ID\n  locsync tasks deadline $TASK none --id $ID",
		Args:    exactly(2, "a task and a time"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var until time.Time
			if args[1] != "none" {
				var err error
				if until, err = time.Parse(time.RFC3339, args[1]); err != nil {
					return misuse(fmt.Errorf("invalid deadline %q; use a time such as 2027-01-31T18:00:00Z, or none", args[1]))
				}
			}
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				if err := documents.TasksOf(d.client).SetDeadline(ctx, d.id, args[0], until); err != nil {
					return err
				}
				return a.sayDone(document.Object{"task": args[0], "deadline": args[1]}, "deadline %s\n", args[1])
			})
		},
	}
	t.flags(c)
	return c
}

func tasksTeamCommand(a *app) *cobra.Command {
	t := target{documents: true}
	c := &cobra.Command{
		Use:     "team",
		Short:   "List the members of the account's team",
		Example: "  locsync tasks team\n  locsync tasks team --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				team, err := documents.TasksOf(d.client).Team(ctx)
				if err != nil {
					return err
				}
				return a.sayList(document.Team{Members: append([]documents.TeamMember{}, team...)}, "the team has no members")
			})
		},
	}
	t.flags(c)
	noArguments(c)
	return c
}

func statsCommand(a *app) *cobra.Command {
	t := target{documents: true}
	exact, build, fuzzy := false, false, false
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count words, repetitions and matches of a project's documents",
		Long: "Shows the statistics of a project that translates documents, as the service last built them: rows of words " +
			"that are new, repeated, or\nmatch the attached translation memories by so many percent.",
		Example: "  locsync stats --id $ID\n  locsync stats --id $ID --build --exact",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				if cmd.Flags().Changed("fuzzy-repetitions") {
					if err := documents.StatisticsOf(d.client).SetFuzzyRepetitions(ctx, d.id, fuzzy); err != nil {
						return err
					}
					build = true // the switch counts from the next snapshot on
				}
				if build {
					if err := documents.StatisticsOf(d.client).Build(ctx, d.id, exact); err != nil {
						return err
					}
				}
				patient, cancel := d.patient(ctx)
				defer cancel()
				d.line.Show(report.Doing{What: "waiting until the service has counted"})
				s, err := documents.StatisticsOf(d.client).ByDocument(patient, d.id, exact)
				if err != nil {
					return err
				}
				d.line.End()
				return a.sayList(document.Statistics{Languages: append(documents.ProjectStatistics{}, s...)},
					"there is nothing to count: the project has no documents")
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&exact, "exact", false, "leave out fuzzy matches")
	c.Flags().BoolVar(&build, "build", false, "have a new snapshot built first")
	c.Flags().BoolVar(&fuzzy, "fuzzy-repetitions", false, "let fuzzy matches within the project count, or with =false "+
		"not; builds a new snapshot")
	noArguments(c)
	return c
}
