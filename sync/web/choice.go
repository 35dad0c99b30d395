package web

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// chosen is the part of a status that was asked for: project=NAME that project, q=TEXT those with it in their name or
// state, sort=attention what needs attention first, and limit=N at most so many, from offset=N on. Total is how many
// there are without limit and offset. Nothing asked for is the whole status.
func chosen(s report.Status, asked url.Values) (report.Status, error) {
	limit, err := whole(asked, "limit", len(s.Projects))
	if err != nil {
		return s, err
	}
	offset, err := whole(asked, "offset", 0)
	if err != nil {
		return s, err
	}
	now, query, name := time.Now(), strings.ToLower(asked.Get("q")), asked.Get("project")
	left := []report.ProjectStatus{}
	for _, p := range s.Projects {
		if (name == "" || p.Name == name) &&
			(query == "" || strings.Contains(strings.ToLower(p.Name+" "+healthOf(p, now).Word()), query)) {
			left = append(left, p)
		}
	}
	switch asked.Get("sort") {
	case "", "configuration":
	case "attention":
		slices.SortStableFunc(left, func(a, b report.ProjectStatus) int { return byAttention(&a, &b, now) })
	default:
		return s, errors.New("sort is attention or configuration")
	}
	if asked.Has("limit") || asked.Has("offset") {
		total := len(left)
		s.Total = &total
	}
	left = left[min(offset, len(left)):]
	s.Projects = left[:min(limit, len(left))]
	return s, nil
}

// byAttention sorts what needs attention first.
func byAttention(a, b *report.ProjectStatus, now time.Time) int {
	if d := healthOf(*b, now) - healthOf(*a, now); d != 0 {
		return int(d)
	}
	if d := len(b.Conflicts) - len(a.Conflicts); d != 0 {
		return d
	}
	return len(b.Problems) - len(a.Problems)
}

// whole is a number of the query that counts something.
func whole(asked url.Values, key string, otherwise int) (int, error) {
	if !asked.Has(key) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(asked.Get(key))
	if err != nil || n < 0 {
		return 0, errors.New(key + " is a number of projects, from 0 on")
	}
	return n, nil
}
