package pass

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Written are texts of a collection in a language that a commit brings.
type Written struct {
	Collection, Language string
	Texts                catalog.Packed
}

// Message is the message of a commit of ours, which is not dated yet. Its trailers come last, so that git finds them:
// those who translated the texts, as far as the service names them, and the project.
func (p *Branch) Message(ctx context.Context, data config.CommitData, texts []Written) (gitops.Message, error) {
	slices.Sort(data.Files)
	pull := p.Project.Pull
	text, err := pull.Message(data)
	if err != nil {
		return gitops.Message{}, &failure.UsageError{Err: fmt.Errorf("pull.commit_message: %w", err)}
	}
	writers, err := p.writers(ctx, texts)
	if err != nil {
		return gitops.Message{}, err
	}
	var trailers []string
	for _, name := range writers {
		address := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}), ".")
		trailers = append(trailers, fmt.Sprintf("Co-authored-by: %s <%s@localhost>", name, cmp.Or(address, "translator")))
	}
	trailers = append(trailers, gitops.Trailer+": "+p.Project.Name)
	return gitops.Message{Text: gitops.WithTrailers(text, trailers...),
		Author: gitops.Person{Name: pull.AuthorName, Email: pull.AuthorEmail}}, nil
}

// writers are the people whom the service names for texts.
func (p *Branch) writers(ctx context.Context, texts []Written) ([]string, error) {
	if !p.Project.Pull.Credit || !p.Service.Own() {
		return nil, nil
	}
	var of []wire.KeysOf
	for _, w := range texts {
		marks, err := w.Texts.Marks()
		if err != nil {
			return nil, err
		}
		keys := slices.Collect(maps.Keys(marks.Keys()))
		of = append(of, wire.KeysOf{Collection: w.Collection, Language: w.Language, Keys: keys})
	}
	names, err := own.Writers(ctx, p.Service, p.Project.ID, of)
	if err != nil {
		return nil, fmt.Errorf("ask who translated: %w", err)
	}
	return names, nil
}
