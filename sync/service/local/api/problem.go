package api

import (
	"fmt"
	"net/http"
)

// Problem is a refusal: what an answer other than 2xx says. Field is the parameter or member that is at fault: the
// detail names it, and so does a member of "errors", where a client can find it without reading words.
type Problem struct {
	Status int
	Field  string
	Detail string
	Format string // with Args, the detail for those who say it in another language
	Args   []any
	retry  string   // Retry-After
	allow  []string // Allow
}

func (p *Problem) Error() string { return p.Detail }

// Words are the detail as say words its format; without a format, the detail.
func (p *Problem) Words(say func(format string, args ...any) string) string {
	if p.Format == "" {
		return p.Detail
	}
	return say(p.Format, p.Args...)
}

// Refuse makes a problem with a status.
func Refuse(status int, format string, args ...any) error {
	return &Problem{Status: status, Detail: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// Invalid makes a 400 about a parameter or member of the body.
func Invalid(field, format string, args ...any) error {
	return &Problem{Status: http.StatusBadRequest, Field: field, Detail: field + ": " + fmt.Sprintf(format, args...)}
}
