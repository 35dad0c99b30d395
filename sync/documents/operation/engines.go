package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/terminal"
)

// Engines are engines of machine translation.
type Engines struct {
	Engines []memories.Engine `json:"engines"`
}

// Table is what people see of them.
func (d Engines) Table() *terminal.Table {
	rows := terminal.NewTable("ENGINE", "NAME", "LANGUAGES")
	for _, e := range d.Engines {
		rows.Row(e.ID, terminal.OrNone(e.Name), orAll(e.Languages))
	}
	return rows
}

func engineOperations() []*Operation {
	available := false
	return []*Operation{
		{
			Name: "engines", On: Documents, Document: Engines{},
			Short:   "List and set the project's engines of machine translation",
			Example: "  locsync engines\n  locsync engines --available --json",
			Flags:   []Flag{{Name: "available", Usage: "those that can be set", Value: &available}},
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				list, empty := memories.EnginesOf(s.Client).Attached, "the project has no engine: locsync engines set gives it one"
				if available {
					list, empty = memories.EnginesOf(s.Client).Available, "the service has no engine"
				}
				engines, err := list(ctx, s.ID)
				return Listed(Engines{append([]memories.Engine{}, engines...)}, empty), err
			},
		},
		{
			Name: "engines set", Args: "[ENGINE[=LANGUAGES]...]", On: Documents, Document: Engines{},
			Short: "Give the project exactly these engines, and no others",
			Long: "Each engine is an id, as engines --available lists them, with the languages that it is for behind an " +
				"equals sign; without them, all that it is available for. A language has one engine.",
			Example: "  locsync engines set engine:Pseudo\n  locsync engines set engine:Pseudo=de,fr --id $ID\n\n" +
				"  # none\n  locsync engines set",
			Most: -1,
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				e := memories.EnginesOf(s.Client)
				wanted, err := enginesNamed(ctx, s, args)
				if err != nil {
					return Result{}, err
				}
				if err := e.Set(ctx, s.ID, wanted); err != nil {
					return Result{}, err
				}
				engines, err := e.Attached(ctx, s.ID)
				return Listed(Engines{append([]memories.Engine{}, engines...)}, "the project has no engine now"), err
			},
		},
	}
}

// enginesNamed reads "ID=de,fr" and "ID".
func enginesNamed(ctx context.Context, s *Session, args []string) ([]memories.Engine, error) {
	wanted := []memories.Engine{}
	var available []memories.Engine
	for _, arg := range args {
		id, languages, given := strings.Cut(arg, "=")
		one := memories.Engine{ID: id}
		if given {
			one.Languages = strings.Split(languages, ",")
		} else if available == nil {
			var err error
			if available, err = memories.EnginesOf(s.Client).Available(ctx, s.ID); err != nil {
				return nil, err
			}
		}
		for _, e := range available {
			if !given && e.ID == id {
				one.Languages = e.Languages
			}
		}
		if len(one.Languages) == 0 || languages == "" && given {
			return nil, misuse(fmt.Errorf("%s: there is no such engine, or no language for it; locsync engines --available "+
				"lists them", arg))
		}
		wanted = append(wanted, one)
	}
	return wanted, nil
}

// CallbackErrors are notifications that the service could not deliver.
type CallbackErrors struct {
	Errors []service.CallbackError `json:"errors"`
}

// Table is what people see of them.
func (d CallbackErrors) Table() *terminal.Table {
	rows := terminal.NewTable("TIME", "CODE", "REASON", "ADDRESS", "ABOUT")
	for _, e := range d.Errors {
		rows.Row(e.Created, fmt.Sprint(e.Code), e.Reason, e.URL, strings.Join(e.SourceIDs, ", "))
	}
	return rows
}

// Callback is where the service sends its notifications.
type Callback struct {
	URL     string   `json:"url"`
	Headers []string `json:"headers"` // names only
}

func callbackOperations() []*Operation {
	limit := 100
	return []*Operation{
		{
			Name: "callbacks", On: Account, Document: Callback{},
			Short:   "Show where the service sends its notifications, and what became of them",
			Long:    "Shows the address for notifications, which an account has one of; locsync project apply sets it.",
			Example: "  locsync callbacks\n  locsync callbacks --json",
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				c, err := s.Client.Callbacks().Read(ctx)
				if errors.Is(err, service.ErrNotFound) {
					return Result{Document: Callback{Headers: []string{}}, Text: "the service sends no notifications: with " +
						"daemon.public_url and a callback secret, locsync project apply has it send them\n"}, nil
				}
				if err != nil {
					return Result{}, err
				}
				d := Callback{URL: c.URL, Headers: []string{}}
				for _, h := range c.AdditionalHeaders {
					d.Headers = append(d.Headers, h.Name)
				}
				return Result{Document: d, Text: terminal.OrNone(d.URL) + "\n"}, nil
			},
		},
		{
			Name: "callbacks errors", On: Account, Document: CallbackErrors{},
			Short:   "List the notifications that the service could not deliver last",
			Example: "  locsync callbacks errors\n  locsync callbacks errors --limit 10 --json",
			Flags:   []Flag{{Name: "limit", Usage: "at most `N`, up to 100", Value: &limit}},
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				list, err := s.Client.Callbacks().Errors(ctx, limit)
				return Listed(CallbackErrors{append([]service.CallbackError{}, list...)}, "every notification arrived"), err
			},
		},
		{
			Name: "callbacks delete", On: Account,
			Short:   "Have the service send no notifications any more",
			Example: "  locsync callbacks delete",
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				err := s.Client.Callbacks().Delete(ctx)
				return Result{Document: document.Object{"url": ""}, Text: "the service sends no notifications\n"}, err
			},
		},
	}
}
