package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
)

func projectAddCommand(a *app) *cobra.Command {
	var add config.Addition
	var files config.AdditionFiles
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a project to the configuration",
		Long: "Writes a [[project]] into a file of its own, where the configuration includes files by a pattern, else to " +
			"the end of locsync.toml. Nothing\nelse is changed. What is not valid is not written. A daemon that runs takes " +
			"the project over at once.",
		Example: "  locsync project add app --repository https://git.example.com/team/app.git \\\n    --language de,fr " +
			"--source 'locales/en/*.json' \\\n    --output 'locales/{LANGUAGE}/{NAME}.json'",
		Args: exactly(1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			add.Name, add.Files = args[0], []config.AdditionFiles{files}
			return a.edit(cmd, args[0], func(file string, accept config.Option) (config.Edit, *config.Config, error) {
				return config.Add(file, add, accept)
			})
		},
	}
	c.Flags().StringVar(&add.ID, "id", "", "the project's `ID` at the service")
	c.Flags().StringVar(&add.Repository, "repository", ".", "`ADDRESS` of the repository, or a folder")
	c.Flags().StringVar(&add.SourceLanguage, "source-language", "en", "`LANGUAGE` of the source files")
	c.Flags().StringSliceVar(&add.TargetLanguages, "language", nil, "`LANGUAGES` to translate into, like de,pt-BR")
	c.Flags().StringVar(&files.Source, "source", "", "`PATTERN` of the source files")
	c.Flags().StringVar(&files.Output, "output", "", "`TEMPLATE` of the paths of translations")
	c.Flags().StringVar(&files.Format, "format", "", "`FORMAT` of the files (default: by their extension)")
	c.Flags().StringVar(&files.Collection, "collection", "", "`COLLECTION` of the keys (default: main)")
	return c
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
			return a.edit(cmd, args[0], func(file string, accept config.Option) (config.Edit, *config.Config, error) {
				return config.Remove(file, args[0], accept)
			})
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
