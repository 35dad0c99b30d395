package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/setup/settings"
)

func projectAddCommand(a *app) *cobra.Command {
	var add config.Addition
	var files config.AdditionFiles
	create, join := false, false
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a project to the configuration",
		Long: "Writes a [[project]] into a file of its own, where the configuration includes files by a pattern, else to " +
			"the end of locsync.toml. Nothing\nelse is changed. What is not valid is not written. A daemon that runs takes " +
			"the project over at once.\n\n--create also creates the project at the service, and writes its id: when the " +
			"rest is valid and the file can be written. A project of this account that has the name already is taken, as " +
			"project create does it.",
		Example: "  locsync project add app --create \\\n    --repository https://git.example.com/team/app.git " +
			"--language de,fr \\\n    --source 'locales/en/*.json' --output 'locales/{LANGUAGE}/{NAME}.json'",
		Args: exactly(1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			add.Name, add.Files = args[0], []config.AdditionFiles{files}
			change := command.Change{Make: func(file string, accept config.Option) (config.Edit, *config.Config, error) {
				return addProject(file, add, accept)
			}}
			if !create {
				return a.edit(cmd, add.Name, change)
			}
			return a.addCreated(cmd, add, join)
		},
	}
	c.Flags().StringVar(&add.ID, "id", "", "the project's `ID` at the service")
	c.Flags().BoolVar(&create, "create", false, "create the project at the service, and write its id")
	c.Flags().BoolVar(&join, "join", false, "with --create: take over a project of that name that has texts which this "+
		"repository does not know")
	c.Flags().StringVar(&add.Repository, "repository", ".", "`ADDRESS` of the repository, or a folder")
	c.Flags().StringVar(&add.SourceLanguage, "source-language", "en", "`LANGUAGE` of the source files")
	c.Flags().StringSliceVar(&add.TargetLanguages, "language", nil, "`LANGUAGES` to translate into, like de,pt-BR")
	c.Flags().StringVar(&files.Source, "source", "", "`PATTERN` of the source files")
	c.Flags().StringVar(&files.Output, "output", "", "`TEMPLATE` of the paths of translations")
	c.Flags().StringVar(&files.Format, "format", "", "`FORMAT` of the files (default: by their extension)")
	c.Flags().StringVar(&files.Collection, "collection", "", "`COLLECTION` of the keys (default: main)")
	eitherFlag(c, "create", "id")
	refuses(c, func(*cobra.Command) error {
		if join && !create {
			return errors.New("--join is about the project that --create creates; add that, or leave it out")
		}
		return nil
	})
	return c
}

// addedBy are the flags by the keys that they set in an added project.
var addedBy = map[string]string{"project.name": "NAME", "project.id": "--id", "project.repository": "--repository",
	"project.source_language": "--source-language", "project.target_languages": "--language",
	"project.files.source": "--source", "project.files.output": "--output", "project.files.format": "--format",
	"project.files.collection": "--collection"}

// addProject is config.Add, whose problems with what is added name the flags: the lines are in no file yet.
func addProject(file string, add config.Addition, accept config.Option) (config.Edit, *config.Config, error) {
	edit, cfg, err := config.Add(file, add, accept)
	var problems config.Problems
	if !errors.As(err, &problems) {
		return edit, cfg, err
	}
	var said []string
	for _, p := range problems {
		flag := addedBy[p.Key]
		switch {
		case p.File != edit.File || p.Line < edit.At || flag == "":
			return edit, cfg, err
		case flag == "--id" && add.ID == "":
			said = append(said, "--id is missing: name the project's identifier at the service, or have --create create the "+
				"project")
		default:
			said = append(said, flag+": "+p.Message)
		}
	}
	return edit, cfg, errors.New(strings.Join(said, "\n"))
}

// addCreated adds a project that is created at the service between the check of what is written and the writing.
func (a *app) addCreated(cmd *cobra.Command, add config.Addition, join bool) error {
	var created settings.Created
	add.ID = uuid.NewString() // until there is another one; the embedded service takes it
	err := a.edit(cmd, add.Name, command.Change{
		Make: func(file string, accept config.Option) (config.Edit, *config.Config, error) {
			return addProject(file, add, accept)
		},
		Settle: func(ctx context.Context, cfg *config.Config, state string) (config.Edit, *config.Config, error) {
			if !cfg.Service.Embedded() {
				var err error
				if created, err = a.create(ctx, cfg, state, add.Name, settings.CreateOptions{Join: join}); err != nil {
					return config.Edit{}, nil, err
				}
				add.ID = created.ID
				sayCreated(a, created)
			}
			return addProject(cfg.File, add, process.AcceptSafe())
		},
	})
	if err != nil && created.ID != "" { // else nothing was made
		return fmt.Errorf("the project %q is at the service with the id %s: %w; run this again with --id %[2]s in place of "+
			"--create", add.Name, created.ID, err)
	}
	return err
}

// create creates a project of a configuration that is not written yet.
func (a *app) create(
	ctx context.Context, cfg *config.Config, state, project string, o settings.CreateOptions,
) (created settings.Created, err error) {
	of := cfg.Project(project)
	if !of.Cloned() {
		_, err = gitops.CommonDir(ctx, cfg.Resolve(of.Repository), gitops.Options{Trust: of.TrustOwner})
	}
	if err != nil {
		return created, misuse(fmt.Errorf("--repository: %w", err))
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return created, err
	}
	p := process.New(cfg, state, a.options(log))
	defer func() { err = errors.Join(err, p.Close()) }()
	client, err := p.Reach(ctx)
	if err != nil {
		return created, err
	}
	o.Unknown = func(ctx context.Context, id string) (string, map[string]bool, error) {
		parts := engine.Parts{Config: cfg, Service: client, Log: zap.NewNop(), Clones: process.Clones(state)}
		return engine.New(parts).Unknown(ctx, project, id)
	}
	return settings.Create(service.As(ctx, service.Asked), client, cfg, of, o)
}

func projectRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a project from the configuration",
		Long: "Takes the tables of a project out of its file, or removes the file where it has no other project. The " +
			"project at the service, the\nrepository and what is remembered of the project stay as they are. A daemon that " +
			"runs ends its work on it.",
		Example: "  locsync project remove app",
		Args:    exactly(1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd, args[0], command.Change{Make: func(file string, accept config.Option) (config.Edit,
				*config.Config, error) {
				return config.Remove(file, args[0], accept)
			}})
		},
	}
}

// edit changes the configuration, and says what was done.
func (a *app) edit(cmd *cobra.Command, project string, change command.Change) error {
	file, err := a.locate()
	if err != nil {
		return err
	}
	done, err := command.Edit(cmd.Context(), file, project, change)
	switch {
	case err != nil:
		return err
	case a.asJSON:
		return a.print(done)
	case done.Removed:
		fmt.Fprintf(a.out, "removed %s, which had the project %q\n", done.File, project)
	default:
		fmt.Fprintf(a.out, "wrote %s\n", done.File)
	}
	if done.Reloaded {
		fmt.Fprintln(a.out, "the daemon works with the new configuration")
	}
	return nil
}
