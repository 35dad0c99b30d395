package service

import (
	"fmt"
	"io"
)

// APIKey is the password of HTTP Basic. However it is printed, logged or marshalled, it comes out
// redacted; only a conversion to string gives it away.
type APIKey string

const redacted = "[redacted]"

// String is a placeholder.
func (APIKey) String() string { return redacted }

// GoString is a placeholder.
func (APIKey) GoString() string { return redacted }

// Format writes a placeholder, whatever the verb ("%x" and "%q" would get past String).
func (APIKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText is a placeholder.
func (APIKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON is a placeholder.
func (APIKey) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
