package failure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service"
)

// Outage is what people are told of a service that does not work for now, and of calls that are kept from it; "" for
// other errors.
func Outage(e *service.Error) string {
	said := "the translation service fails to " + e.Op
	switch {
	case !errors.Is(e, service.ErrTemporary):
		return ""
	case e.Status == 0 && e.Err != nil:
		return e.Err.Error()
	case e.Status < http.StatusBadRequest:
		return ""
	case e.Status == http.StatusTooManyRequests:
		said = "the translation service asks for fewer requests"
	case e.Status >= http.StatusBadGateway && e.Status <= http.StatusGatewayTimeout:
		said = "the translation service is not available"
	}
	answer := service.Error{Status: e.Status, Detail: e.Detail, RequestID: e.RequestID, Err: e.Err}
	said += " (" + strings.TrimPrefix(answer.Error(), ": ") + ")"
	if e.Asked > 0 {
		said += fmt.Sprintf(", and asks to wait for %v", e.Asked.Round(time.Second))
	}
	return said
}
