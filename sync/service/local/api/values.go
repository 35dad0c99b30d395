package api

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

func IsModelName(name string) bool {
	return slices.Contains([]string{wire.PartModel, "projectmodel", "value", "documentmodel", "updatedocumentmodel"},
		strings.ToLower(name))
}

// TargetCodes reads a list of target languages; none of them may be the source language.
func TargetCodes(field string, words []string, source string) ([]string, error) {
	var codes []string
	for _, word := range words {
		code, err := LanguageCode(field, word)
		if err != nil {
			return nil, err
		}
		if code == source {
			return nil, Invalid(field, "%s is the source language", code)
		}
		codes = Union(codes, []string{code})
	}
	return codes, nil
}

func CheckDeadline(text string) error {
	if text == "" {
		return nil
	}
	if _, err := ReadTime(text); err != nil {
		return Invalid("deadline", "%q is not an ISO 8601 timestamp like 2026-11-30T12:00:00Z", text)
	}
	return nil
}

// ReadTime reads an ISO 8601 timestamp in the forms that clients send: with zone or without (UTC), with or without
// seconds, or a date. A space stands for the plus sign that a query decodes away.
func ReadTime(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if at := len(s) - 6; at > 10 && s[at] == ' ' {
		s = s[:at] + "+" + s[at+1:]
	}
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999",
		"2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly,
		"2006-01-02T15:04:05.999999999Z0700", "20060102T150405Z"} {
		var t time.Time
		if t, err = time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, err
}

// Union is a followed by those of b that it lacks.
func Union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// FileName makes a piece of a file name from any text.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, s)
}

// UnsafePath says why a path must not come out of an archive; empty when it may.
func UnsafePath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case strings.HasPrefix(p, "/"), len(p) > 1 && p[1] == ':':
		return "is an absolute path; give one relative to the archive"
	case strings.Contains(p, `\`):
		return "has a backslash; folders are separated by /"
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a control character"
	case strings.HasSuffix(p, "/"):
		return "ends with a folder; a file name is missing"
	case slices.ContainsFunc(strings.Split(p, "/"), func(e string) bool { return e == "" || e == "." || e == ".." }):
		return "has an empty, . or .. element"
	case path.Clean(p) != p:
		return "is not in its shortest form"
	}
	return ""
}

func Timestamp(nanos int64) string {
	return time.Unix(0, nanos).UTC().Format("2006-01-02T15:04:05.999Z")
}

// TargetLanguages reads the parameter target-languages, which is required: absent or empty it is a 400.
func TargetLanguages(q Params, source string) ([]string, error) {
	words, given := q.List(wire.QueryTargetLanguages)
	if !given || len(words) == 0 || len(words) == 1 && words[0] == "" {
		return nil, Invalid(wire.QueryTargetLanguages, "the list is empty; name language codes, separated by commas")
	}
	return TargetCodes(wire.QueryTargetLanguages, words, source)
}
