package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Params are the query parameters of a call. Clients spell them in many ways: names in any case, with [] behind the
// names of lists, lists by commas, line breaks or repetition, booleans as words, numbers, or the bare name. It
// remembers which of them a handler asked for.
type Params map[string]*param

type param struct {
	values []string
	asked  bool
}

func ReadParams(r *http.Request) (Params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "the query cannot be read: %v", err)
	}
	p := make(Params, len(values))
	for _, spelled := range slices.Sorted(maps.Keys(values)) {
		v := values[spelled]
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(spelled), "[]"))
		if !utf8.ValidString(spelled + strings.Join(v, "")) {
			return nil, Invalid(strings.ToValidUTF8(name, "\uFFFD"), "is not UTF-8")
		}
		if p[name] == nil {
			p[name] = &param{}
		}
		p[name].values = append(p[name].values, v...)
	}
	return p, nil
}

func (p Params) Values(name string) ([]string, bool) {
	v, ok := p[strings.ToLower(name)]
	if !ok {
		return nil, false
	}
	v.asked = true
	return v.values, true
}

// Set gives a parameter other values.
func (p Params) Set(name string, values ...string) { p[strings.ToLower(name)] = &param{values: values} }

// Unasked are the parameters that had no effect, by name: misspelled, or of another call.
func (p Params) Unasked() []string {
	var names []string
	for name, v := range p {
		if !v.asked {
			names = append(names, Clip([]byte(name)))
		}
	}
	slices.Sort(names)
	return names
}

// Word returns a parameter that has one value, trimmed. Present but empty is a 400, as is given twice with different
// values.
func (p Params) Word(name string) (value string, given bool, err error) {
	return p.one(name, strings.TrimSpace)
}

// Raw returns a parameter whose value is taken to the letter: spaces count.
func (p Params) Raw(name string) (value string, given bool, err error) {
	return p.one(name, func(v string) string { return v })
}

func (p Params) one(name string, read func(string) string) (value string, given bool, err error) {
	all, given := p.Values(name)
	for i, v := range all {
		v = read(v)
		switch {
		case v == "":
			return "", true, Invalid(name, "is given without a value; leave it out or give it one")
		case i > 0 && v != value:
			return "", true, Invalid(name, "is given twice: %q and %q", value, v)
		}
		value = v
	}
	return value, given, nil
}

// Flag returns a boolean. The bare name, the empty value, true and 1 are true; false and 0 are false; anything else
// is a 400.
func (p Params) Flag(name string) (bool, error) {
	all, given := p.Values(name)
	on := false
	for i, v := range all {
		var this bool
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "", "true", "1":
			this = true
		case "false", "0":
		default:
			return false, Invalid(name, "%q is neither true nor false", v)
		}
		if i > 0 && this != on {
			return false, Invalid(name, "is given as true and as false")
		}
		on = this
	}
	return given && on, nil
}

// List returns the members of a list, trimmed, in every spelling there is. A member may be empty; a list that is
// given as nothing has one, the empty one.
func (p Params) List(name string) (members []string, given bool) {
	all, given := p.Values(name)
	for _, v := range all {
		lines := strings.Split(strings.TrimRight(v, "\r\n"), "\n")
		for _, line := range lines {
			if len(lines) > 1 {
				line = strings.TrimSuffix(strings.TrimSpace(line), ",")
			}
			for m := range strings.SplitSeq(line, ",") {
				members = append(members, strings.TrimSpace(m))
			}
		}
	}
	return members, given
}

// Into keeps what a parameter says where none before it was wrong, as the first error of several.
func Into[T any](to *T, first *error) func(value T, err error) {
	return func(value T, err error) {
		if *first == nil {
			*to, *first = value, err
		}
	}
}

// Time returns a time; the zero one where none is given.
func (p Params) Time(name string) (at time.Time, err error) {
	text, given, err := p.Word(name)
	if err != nil || !given {
		return at, err
	}
	at, err = ReadTime(text)
	if err != nil {
		err = Invalid(name, "%q is not an ISO 8601 time like 2026-11-30T12:00:00Z", text)
	}
	return at, err
}

// Count returns a whole number of at least 0.
func (p Params) Count(name string, absent int) (int, error) {
	v, given, err := p.Word(name)
	if err != nil || !given {
		return absent, err
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, Invalid(name, "%q is not a whole number of 0 or more", v)
	}
	return n, nil
}
