package memories

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Rules are the operations on what a project's texts are translated from before people translate them.
type Rules struct{ client *service.Client }

// RulesOf are the operations of a client on pretranslation rules.
func RulesOf(c *service.Client) Rules { return Rules{c} }

// Read lists a project's rules in their order: GET /v1/project/{projectId}/pretranslation-rules (published
// description).
func (r Rules) Read(ctx context.Context, project string) ([]Rule, error) {
	all, err := service.Get[wire.List[Rule]](ctx, r.client, service.Call{Op: "read pretranslation rules",
		Bad: service.Named("project", project), Path: service.PathOf(wire.PathPretranslationRules, project)},
		service.Reader.UnlessEmpty)
	slices.SortStableFunc(all, func(a, b Rule) int { return a.Order - b.Order })
	return all, err
}

// Set has a project follow these rules, in their order, in place of those that it had: PUT
// /v1/project/{projectId}/pretranslation-rules (published description). start says that texts which have no translation
// are translated by them at once, which may cost money. 400 (ErrRefused): a rule, named by its member.
func (r Rules) Set(ctx context.Context, project string, rules []Rule, start bool) error {
	sent := slices.Clone(rules)
	for i := range sent {
		sent[i].Order = i + 1
	}
	return r.client.Do(ctx, service.Call{
		Op: "set pretranslation rules", Bad: service.Named("project", project), Method: http.MethodPut,
		Path:  service.PathOf(wire.PathPretranslationRules, project),
		Query: url.Values{wire.QueryStartPretranslate: {strconv.FormatBool(start)}}, Body: sent,
		Repeatable: true, Changes: true,
	})
}

// Placeholders are the operations on what translators must not change in the texts of the account: regular expressions.
type Placeholders struct{ client *service.Client }

// PlaceholdersOf are the operations of a client on placeholders.
func PlaceholdersOf(c *service.Client) Placeholders { return Placeholders{c} }

// Read lists the expressions of the account: GET /v1/placeholders (published description).
func (p Placeholders) Read(ctx context.Context) (expressions []string, err error) {
	all, err := service.Get[wire.List[wire.Placeholder]](ctx, p.client, service.Call{Op: "read placeholders",
		Path: wire.PathPlaceholders}, service.Reader.UnlessEmpty)
	for _, one := range all {
		expressions = append(expressions, one.Regex)
	}
	return expressions, err
}

// Check asks whether the service takes an expression: GET /v1/placeholders/validate (published description). 400
// (ErrRefused): it does not.
func (p Placeholders) Check(ctx context.Context, expression string) error {
	var bad error
	if expression == "" {
		bad = errors.New("the expression is empty")
	}
	return p.client.Do(ctx, service.Call{Op: "check a placeholder", Bad: bad, Method: http.MethodGet,
		Path: wire.PathPlaceholderCheck, Query: url.Values{wire.QueryPlaceholder: {expression}}, Repeatable: true})
}

// Set replaces the expressions of the account: PUT /v1/placeholders (published description). Other programs may have
// some of them: send those that Read had, too.
func (p Placeholders) Set(ctx context.Context, expressions []string) error {
	sent := make([]wire.Placeholder, len(expressions))
	for i, e := range expressions {
		sent[i].Regex = e
	}
	return p.client.Do(ctx, service.Call{Op: "set placeholders", Method: http.MethodPut, Path: wire.PathPlaceholders,
		Body: sent, Repeatable: true, Changes: true})
}
