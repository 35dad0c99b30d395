package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
)

// misuse is an error that stays until the command line or what it names is changed. Its text is one line that ends with
// what to try.
func misuse(err error) error { return failure.Usage(err) }

// noneOf refuses a name that nothing of its kind has.
func noneOf(kind, name string, known []string) error {
	return fmt.Errorf("there is no %s %q; %s", kind, name, spell.Meant(name, known))
}

// choice is a flag that takes one of a few words.
type choice struct {
	word  *string
	words []string
}

func (c choice) String() string { return *c.word }
func (c choice) Type() string   { return "WORD" }

func (c choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return errors.New(spell.Meant(word, c.words))
	}
	*c.word = word
	return nil
}

// choose adds a flag that takes one of a few words; completion offers them.
func choose(flags *pflag.FlagSet, word *string, name, usage string, words ...string) {
	flags.Var(choice{word, words}, name, usage+": "+spell.Either(words))
}

// otherWords are what people who come from other programs type.
var otherWords = map[string][]string{
	"push": {"upload", "send"}, "pull": {"download", "fetch", "export"}, "check": {"validate", "verify", "lint", "test"},
	"run":    {"daemon", "watch", "start", "serve"},
	"status": {"state", "st"}, "init": {"setup", "configure", "config"}, "memories": {"tm", "memory"},
	"glossary": {"glossaries", "terms"}, "documents": {"docs", "document"},
}

// unknownCommand refuses a command that parent does not have.
func unknownCommand(parent *cobra.Command, name string) error {
	said := fmt.Sprintf("there is no command %q", strings.TrimPrefix(parent.CommandPath()+" "+name, "locsync "))
	var known []string
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if slices.Contains(c.SuggestFor, strings.ToLower(name)) {
			return misuse(fmt.Errorf("%s; did you mean %s?", said, c.CommandPath()))
		}
		known = append(known, c.Name())
	}
	if near := spell.Nearest(name, known); near != "" {
		return misuse(fmt.Errorf("%s; did you mean %s %s?", said, parent.CommandPath(), near))
	}
	if parent.HasParent() {
		return misuse(fmt.Errorf("%s; use %s", said, spell.Either(known)))
	}
	return misuse(fmt.Errorf("%s; locsync help lists them all", said))
}

// flagError turns what the parser has to say of a flag into one line in our words.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	a.asJSON = a.asJSON || asksForJSON(a) // --json may be behind the flag that is wrong
	if cmd.HasSubCommands() {             // a command that there is not, with flags: the command is what is wrong
		if _, rest, ferr := cmd.Root().Find(a.args); ferr == nil && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return unknownCommand(cmd, rest[0])
		}
	}
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return misuse(fmt.Errorf("unknown flag %s", missingFlag(cmd, unknown)))
	case errors.As(err, &empty):
		what, _ := pflag.UnquoteUsage(empty.GetFlag())
		return misuse(fmt.Errorf("--%s wants a value: --%s %s", empty.GetFlag().Name, empty.GetFlag().Name, what))
	case errors.As(err, &bad):
		said := fmt.Errorf("--%s %q: %w", bad.GetFlag().Name, bad.GetValue(), bad.Unwrap())
		if words := bad.Unwrap().Error(); strings.HasPrefix(words, "strconv.") || strings.HasPrefix(words, "time: ") {
			kinds := map[string]string{"bool": "true or false", "duration": "a duration such as 90s"}
			if name, _ := pflag.UnquoteUsage(bad.GetFlag()); name == "PERCENT" {
				kinds["float64"] = "a percentage from 0 to 100"
			}
			said = fmt.Errorf("--%s takes %s, not %q", bad.GetFlag().Name,
				cmp.Or(kinds[bad.GetFlag().Value.Type()], "a number"), bad.GetValue())
		}
		if !aChoice(bad.GetFlag()) {
			said = fmt.Errorf("%w; see %s --help", said, cmd.CommandPath())
		}
		return misuse(said)
	}
	return misuse(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
}

// missingFlag is a flag that a command does not have, and what was perhaps meant: a flag with another spelling, or
// another command's.
func missingFlag(cmd *cobra.Command, e *pflag.NotExistError) string {
	name, typed := e.GetSpecifiedName(), "--"+e.GetSpecifiedName()
	if short := e.GetSpecifiedShortnames(); short != "" {
		name, typed = short, "-"+short
	}
	typed += " for " + cmd.CommandPath()
	if near := spell.Nearest(name, flagNames(cmd)); near != "" {
		return fmt.Sprintf("%s; did you mean --%s?", typed, near)
	}
	var others []string
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(name) != nil {
			others = append(others, c.CommandPath())
		}
	}
	switch {
	case len(others) == 1:
		return fmt.Sprintf("%s; %s has it", typed, others[0])
	case len(others) > 1:
		return fmt.Sprintf("%s; %s and %s have it", typed, strings.Join(others[:len(others)-1], ", "), others[len(others)-1])
	}
	return fmt.Sprintf("%s; see %s --help", typed, cmd.CommandPath())
}

// flagNames are the names of the flags that a command takes and shows.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}

// needsSubcommand is what a command does that only groups others.
func needsSubcommand(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return misuse(fmt.Errorf("missing subcommand of %s: %s", cmd.CommandPath(), subcommands(cmd)))
		}
		return unknownCommand(cmd, args[0])
	}
}

// subcommands are the names of a group's commands, as one chooses from them.
func subcommands(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// noArguments refuses stray arguments as wrong usage.
func noArguments(c *cobra.Command) {
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misuse(fmt.Errorf("unexpected argument %q for %s; see %s --help", args[0], cmd.CommandPath(),
				cmd.CommandPath()))
		}
		return nil
	}
}

// Flags that contradict each other, and such as are empty, are refused: otherwise it would seem that a project was
// chosen when it was not. The flags that every command has are taken everywhere, also where there is nothing that they
// could change: scripts have them in one variable.

// refuses has a command refuse a command line that check finds wrong, before anything is read or requested.
func refuses(c *cobra.Command, check func(c *cobra.Command) error) {
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd); err != nil {
			return misuse(err)
		}
		return run(cmd, args)
	}
}

// eitherFlag refuses two flags of which one makes the other meaningless.
func eitherFlag(c *cobra.Command, one, other string) {
	refuses(c, func(c *cobra.Command) error {
		if c.Flags().Changed(one) && c.Flags().Changed(other) {
			return fmt.Errorf("--%s and --%s each say which one is meant; leave one of them out", one, other)
		}
		return nil
	})
}

var errEmpty = errors.New("there is nothing in it; leave the flag out, or write something")

// once is a flag that holds one value: another one is refused instead of replacing the first, and so is none,
// as in a variable of a script that was not set.
type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(text string) error {
	if before := o.String(); o.given && before != text {
		return fmt.Errorf("it is given twice, first as %q; leave one of them out", before)
	}
	if text == "" {
		return errEmpty
	}
	if err := o.Value.Set(text); err != nil {
		return err
	}
	o.given = true
	return nil
}

// onceEach makes every flag of the commands' own that holds one value such a flag, and refuses lists that hold none.
// Those of every command may stand twice: an alias of a shell has one, and what is typed behind it wins.
func onceEach(c *cobra.Command) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch list, is := f.Value.(pflag.SliceValue); {
		case is:
			refuses(c, func(*cobra.Command) error {
				if values := list.GetSlice(); f.Changed && (len(values) == 0 || slices.Contains(values, "")) {
					return fmt.Errorf("--%s %q: %w; see %s --help", f.Name, strings.Join(values, ","), errEmpty, c.CommandPath())
				}
				return nil
			})
		case f.Value.Type() != "bool":
			f.Value = &once{Value: f.Value}
		}
	})
	for _, sub := range c.Commands() {
		onceEach(sub)
	}
}

// aChoice reports whether a flag takes one of a few words, which its own refusal names.
func aChoice(f *pflag.Flag) bool {
	value := f.Value
	if o, ok := value.(*once); ok {
		value = o.Value
	}
	_, ok := value.(choice)
	return ok
}

// exactly and atLeast refuse another number of arguments as wrong usage.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return wants(cmd, len(args) == n && !slices.Contains(args, ""), what)
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return wants(cmd, len(args) >= n && !slices.Contains(args, ""), what)
	}
}

func wants(cmd *cobra.Command, right bool, what string) error {
	if right {
		return nil
	}
	return misuse(fmt.Errorf("%s needs %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath()))
}

// listsAlone is for a command that lists when it is called alone and has others below it: what follows its name is the
// name of one of them.
func listsAlone(c *cobra.Command) {
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return nil
	}
}
