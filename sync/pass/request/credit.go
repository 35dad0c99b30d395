package request

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
)

const (
	// creditPatience is how long a pull waits to learn who translated.
	creditPatience = 30 * time.Second
	mostCommits    = 1000 // of a branch, that are looked at for the oldest one
	mostNames      = 3    // of a language
	longestName    = 40
)

// credit adds who translated what the branch has, as far as the service tells that: a text without it is as good.
func (b *Branch) credit(ctx context.Context, now Pulled, data *config.RequestData) error {
	if !b.Project.Pull.Request.Forge() || !b.Project.Pull.Credit || b.Service == nil {
		return nil
	}
	since, err := b.since(now)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, creditPatience)
	defer done()
	rows, err := documents.StatisticsOf(b.Service).Confirmations(ctx, b.Project.ID, since)
	var team []documents.TeamMember
	if err == nil && slices.ContainsFunc(rows, byPerson) {
		team, err = documents.TasksOf(b.Service).Team(ctx)
	}
	if err != nil {
		b.Log.Debug("the translation service does not tell who translated", zap.Error(err))
		return nil
	}
	names := make(map[string]string)
	for _, m := range team {
		names[m.ID] = m.FirstName + " " + m.LastName
	}
	for i := range data.Counts {
		creditTo(&data.Counts[i], rows, names)
	}
	return nil
}

// since is from when on texts of the branch may have been translated: since the pull before its oldest commit.
// Confirmations are counted by day.
func (b *Branch) since(now Pulled) (time.Time, error) {
	first := now.Tip.When()
	ahead, err := b.Repo.History.Past(now.Tip.Hash(), now.Base.Hash(), mostCommits)
	if err != nil {
		return first, err
	}
	if len(ahead) > 0 {
		first, err = b.Repo.History.When(ahead[len(ahead)-1])
		if err != nil {
			return first, err
		}
	}
	pause := 24 * time.Hour
	if s := b.Project.Pull.Schedule; !s.IsZero() {
		next := s.Next(first)
		pause = max(pause, s.Next(next).Sub(next))
	}
	return first.Add(-pause).UTC().Truncate(24 * time.Hour), nil
}

func byPerson(row service.Confirmation) bool { return row.UserID != "" && !row.ByPretranslation }

// creditTo says of a language who confirmed its words, and how many a machine made that no person confirmed.
func creditTo(c *config.RequestCount, rows []service.Confirmation, names map[string]string) {
	people := make(map[string]float64) // words
	machine := 0.0
	for _, row := range rows {
		switch {
		case !strings.EqualFold(row.Language, c.Language):
		case row.ByPretranslation:
			machine += row.WordCounts.MT
		case row.UserID != "":
			people[row.UserID] += row.WordCounts.Total()
			machine -= row.WordCounts.MT
		}
	}
	c.Machine, c.Translators, c.Others = max(0, int(machine)), nil, 0
	for _, id := range slices.SortedFunc(maps.Keys(people), func(a, b string) int {
		return cmp.Or(cmp.Compare(people[b], people[a]), cmp.Compare(a, b))
	}) {
		name := strings.Join(strings.Fields(report.Printable(names[id])), " ")
		if name == "" || len(c.Translators) == mostNames {
			c.Others++
			continue
		}
		if letters := []rune(name); len(letters) > longestName {
			name = string(letters[:longestName]) + "…"
		}
		c.Translators = append(c.Translators, name)
	}
}
