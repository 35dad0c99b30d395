package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
)

// lookForSecrets is how often the files of secrets are read: a rotated one is in use within that time.
const lookForSecrets = 5 * time.Second

// secrets are what a configuration is used with.
type secrets struct {
	cfg    *config.Config
	digest digest
}

// rotation is that a configuration's secrets have changed.
type rotation struct {
	secrets
	files fileReader // reads what they are now
}

type digest [sha256.Size]byte

// digestOf tells secrets from others.
func digestOf(cfg *config.Config, files fileReader) digest {
	h := sha256.New()
	for _, find := range secretsOf(cfg) {
		found, err := find(os.Getenv, files)
		sum := sha256.Sum256([]byte(found.Reveal()))
		h.Write(sum[:])
		if err != nil {
			h.Write([]byte(err.Error()))
		}
	}
	return digest(h.Sum(nil))
}

// watchSecrets announces each change of the secrets in use once, until ctx ends. A disk that hangs holds up nothing but
// this.
func watchSecrets(ctx context.Context, inUse func() *secrets, rotated chan<- rotation) {
	tick := time.NewTicker(lookForSecrets)
	defer tick.Stop()
	var announced secrets
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := inUse()
		read, ok := heartbeat.Within(ctx, 24*time.Hour, func() rotation {
			files := readAhead(used.cfg)
			return rotation{secrets{used.cfg, digestOf(used.cfg, files)}, files}
		})
		if !ok || read.secrets == *used || read.secrets == announced {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case rotated <- read:
			announced = read.secrets
		}
	}
}

// rotate works with secrets that have changed, or keeps those before where the new ones cannot be used.
func (d *running) rotate(r rotation) {
	if r.cfg != d.cfg {
		return // the configuration was read again meanwhile, and they with it
	}
	beat := d.beats.Begin("using a secret that was changed")
	defer beat.End()
	before := d.process.ReadFile
	err := d.exchange(heartbeat.With(d.ctx, beat), d.cfg, r.files)
	switch {
	case err == nil:
		d.o.Log.Info("a secret was changed, and the new one is in use")
	case !errors.Is(err, context.Canceled):
		d.process.ReadFile = before
		d.o.Log.Error("a secret was changed, and the new one cannot be used; the old one stays", zap.Error(err))
	}
}
