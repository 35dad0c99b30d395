package budget

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// Keeper keeps the slots of accounts for processes of several machines.
type Keeper interface {
	// Update calls change with the keeper's own time and the content that an account has, nil for none, and stores what
	// that returns. Where another Update came between, change is called again. An error means that nothing was stored.
	Update(ctx context.Context, account string, change func(now time.Duration, content []byte) []byte) error
}

// keptSlots keeps the slots of one account with a keeper, under a hash, as a file has them.
type keptSlots struct {
	keeper  Keeper
	account string
}

func newKeptSlots(k Keeper, origin, account string) *keptSlots {
	sum := sha256.Sum256([]byte(origin + "\n" + account))
	return &keptSlots{k, hex.EncodeToString(sum[:12])}
}

func (k *keptSlots) update(ctx context.Context, f func(time.Duration, *slots)) error {
	err := k.keeper.Update(ctx, k.account, func(now time.Duration, content []byte) []byte {
		var s slots
		if _, err := binary.Decode(content, binary.LittleEndian, &s); err != nil {
			s = slots{} // of another version, or none yet
			s.PausedUntil = now + settleCap + time.Second
			if content == nil {
				s.PausedUntil = 0
			}
		}
		f(now, &s)
		content, err := binary.Append(nil, binary.LittleEndian, &s)
		if err != nil { // its fields are of fixed size
			panic(err)
		}
		return content
	})
	if err != nil {
		return fmt.Errorf("no request is made outside of the budget: %w", err)
	}
	return nil
}
