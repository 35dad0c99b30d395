package local

import (
	"slices"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// A notification that cannot be read holds up no other.
func TestUnreadableNotification(t *testing.T) {
	st, err := openStore(t.TempDir(), "a", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer st.close()
	err = st.update(func(tx *Tx) error {
		if err := putCallback(tx, &wire.Callback{URL: "http://receiver/"}); err != nil {
			return err
		}
		if err := notifyIn(tx, wire.CallbackProjectStatus, "second"); err != nil {
			return err
		}
		return callbacksOf(tx).Bucket(keyQueue).Put(slices.Concat(number(1), number(1)), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = st.view(func(tx *Tx) error {
		out, _, err := due(tx, nil, 4)
		if len(out) != 1 || out[0].IDs[0] != "second" || err == nil {
			t.Errorf("%v, %v", out, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
