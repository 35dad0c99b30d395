package service

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Pages reads a list that comes in pages of so many items, until one is shorter, or begins like the first, as
// those of a service do that knows no pages.
func Pages[T any](full int, id func(T) string, page func(skip int) ([]T, error)) ([]T, error) {
	var all []T
	for {
		items, err := page(len(all))
		if err != nil {
			return nil, err
		}
		if len(items) == 0 || len(all) > 0 && id(items[0]) == id(all[0]) {
			return all, nil
		}
		if all = append(all, items...); len(items) < full {
			return all, nil
		}
	}
}

// CheckID refuses what cannot be an identifier: it is going to be a step of a path.
func CheckID(id string) error {
	const longest = 200
	odd := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%<>"'{}`, r) }
	switch {
	case id == "":
		return errors.New("it is empty")
	case len(id) > longest, strings.Trim(id, ".") == "", strings.ContainsFunc(id, odd):
		return fmt.Errorf("%.40q is not an identifier of the service", id)
	}
	return nil
}

// Named is CheckID of an identifier that an error calls by its kind.
func Named(kind, id string) error {
	if err := CheckID(id); err != nil {
		return fmt.Errorf("%s id: %w", kind, err)
	}
	return nil
}

// CheckList refuses what would change the meaning of a comma list.
func CheckList(what string, items []string) error {
	for _, item := range items {
		if strings.TrimSpace(item) == "" || strings.Contains(item, ",") {
			return fmt.Errorf("%s %q: want a text without commas", what, item)
		}
	}
	return nil
}

// PathOf is a path of package wire with identifiers in place of what is in braces, in order.
func PathOf(template string, ids ...string) string {
	for _, id := range ids {
		before, rest, _ := strings.Cut(template, "{")
		_, after, _ := strings.Cut(rest, "}")
		template = before + url.PathEscape(id) + after
	}
	return template
}
