package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/terminal"
)

func translateCommand(a *app) *cobra.Command {
	var t target
	var r memories.TranslateRequest
	c := &cobra.Command{
		Use:   "translate [TEXT...]",
		Short: "Translate texts on demand, from arguments or, by line, from standard input",
		Long: "Has the service translate the texts with one of the account's translation profiles. Languages are the " +
			"project's where none are\ngiven. A text that could not be translated is named (3).",
		Example: "  locsync translate --to de 'Good morning'\n  locsync translate --to de,fr < texts.txt\n  locsync " +
			"translate --html --from en --to de '<b>Save</b>'",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return translateTexts(ctx, a, d, r, args)
			})
		},
	}
	c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME` whose languages are meant; "+
		"needed where there are several")
	c.Flags().StringVar(&r.SourceLanguage, "from", "", "source language `CODE` (default: the project's)")
	c.Flags().StringSliceVar(&r.TargetLanguages, "to", nil, "target language `CODES` (default: the project's)")
	c.Flags().StringVar(&r.Profile, "profile", "", "`ID` of the translation profile, from its address in the service's "+
		"user interface")
	c.Flags().BoolVar(&r.IsHTML, "html", false, "the texts are HTML")
	return c
}

// translated is one text in one language, as translate prints it with --json.
type translations struct {
	Translations []translated `json:"translations"`
}

type translated struct {
	Language    string `json:"language"`
	Text        string `json:"text"`
	Translation string `json:"translation"`
	Error       bool   `json:"error"`
}

func translateTexts(ctx context.Context, a *app, d *session, r memories.TranslateRequest, texts []string) error {
	if len(texts) == 0 {
		var err error
		if texts, err = readTexts(ctx, a); err != nil {
			return err
		}
	}
	if len(texts) == 0 {
		return misuse(errors.New("no texts: give them as arguments, or line by line on standard input"))
	}
	if slices.Contains(texts, "") {
		return misuse(errors.New("one of the texts is empty: leave it out"))
	}
	r.SourceLanguage = cmp.Or(r.SourceLanguage, d.project.SourceLanguage)
	if len(r.TargetLanguages) == 0 {
		r.TargetLanguages = d.project.TargetLanguages
	}
	for _, text := range texts {
		r.Texts = append(r.Texts, wire.TranslateText{Text: text})
	}
	d.line.Show(report.Doing{What: "translating " + terminal.Count(len(texts), "text")})
	answer, err := memories.EnginesOf(d.client).Translate(ctx, r)
	if err != nil {
		return err
	}
	d.line.End()
	result := []translated{}
	var text strings.Builder
	failed := false
	for _, language := range r.TargetLanguages {
		for i, one := range answer[language] {
			result = append(result, translated{language, texts[i], one.Translation, one.Error})
			if one.Error {
				failed = true
				fmt.Fprintf(&text, "skipped: %s: %s could not be translated\n", language, texts[i])
				continue
			}
			fmt.Fprintf(&text, "%s: %s\n", language, one.Translation)
		}
	}
	return a.sayResult(operation.Result{Document: translations{result}, Text: text.String(), Partial: failed})
}

// readTexts reads the texts from standard input, a line each, until it ends or the command is interrupted: a person who
// sees that nothing happens presses Ctrl-C, and the line that is waited for never comes.
func readTexts(ctx context.Context, a *app) ([]string, error) {
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(a.err, "texts to translate, one a line; Ctrl-D ends them:")
	}
	type read struct {
		texts []string
		err   error
	}
	done := make(chan read, 1)
	go func() {
		var r read
		lines := bufio.NewScanner(a.in)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() != "" {
				r.texts = append(r.texts, lines.Text())
			}
		}
		r.err = lines.Err()
		done <- r
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("read the texts: %w", context.Cause(ctx))
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("read the texts: %w", r.err)
		}
		return r.texts, nil
	}
}
