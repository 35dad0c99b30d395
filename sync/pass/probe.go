package pass

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// configured is a digest of the project's configuration.
func (p *Branch) Configured() string {
	text, err := json.Marshal(p.Project)
	if err != nil {
		text = fmt.Appendf(nil, "%+v", *p.Project)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
