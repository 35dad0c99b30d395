package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/command/doctor"
	"github.com/locsync/locsync/sync/report"
)

func doctorCommand(a *app) *cobra.Command {
	offline := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that has to work, and say what to do about what does not",
		Long: "Looks at the program, the configuration, the state, the repositories and their remotes, the files, file " +
			"events, the service, the\n" +
			"daemon and the hooks, and says of each what was found and, where something is wrong, what to do. It changes " +
			"nothing, works\n" +
			"without a configuration, beside a daemon and without a network, and ends within half a minute. No secret is in " +
			"what it prints.\n\n" +
			"Ends with 0 where nothing is wrong but for warnings, 1 where a fault may pass, 2 where something has to be " +
			"changed, 3 where\nnothing is in the way but some files would be left out.",
		Example: "  locsync doctor\n  locsync doctor --offline   # makes no requests\n  locsync doctor --json      # for a " +
			"report or a program",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return diagnose(cmd.Context(), a, offline)
		},
	}
	c.Flags().BoolVar(&offline, "offline", false, "make no requests: neither to the service nor to remotes")
	return c
}

func diagnose(ctx context.Context, a *app, offline bool) error {
	p := a.progress()
	defer p.End()
	p.Show(report.Doing{What: "looking at everything that has to work"})
	result, err := doctor.Examine(ctx, doctor.Options{Program: version(), Locate: a.locate, Offline: offline})
	p.End()
	if err != nil {
		return err
	}
	if a.asJSON {
		err = a.print(result)
	} else {
		a.screen().Diagnosis(result)
	}
	switch result.Code {
	case report.ExitWrong:
		return errors.Join(err, errMisconfigured)
	case report.ExitLater:
		return errors.Join(err, errUnwell)
	case report.ExitPartial:
		return errors.Join(err, errPartial)
	}
	return err
}
