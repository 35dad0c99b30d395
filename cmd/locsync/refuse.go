package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
