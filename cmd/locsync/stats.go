package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/documents"
)

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
				return a.sayResult(operation.Listed(document.Statistics{Languages: append(documents.ProjectStatistics{}, s...)},
					"there is nothing to count: the project has no documents"))
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
