package process

import (
	"os"
	"path/filepath"
	"regexp"
	"time"

	"go.uber.org/zap"
)

// What a process needs for a moment is in the system's temporary folder under these names, and is removed by the
// process, unless that is killed. A demo's folder is not among them: people look at it.
var leftover = regexp.MustCompile(
	`^locsync-(check|completion|doctor|dry-run|export|filter|merge|objects|sign|status)-[0-9]+$`)

// LeftoverAge is after which such a thing is not in use any more. Each is needed for minutes at most.
const LeftoverAge = 24 * time.Hour

// clearLeftovers removes what killed processes have left. What cannot be removed belongs to another user, and is not a
// reason to fail.
func clearLeftovers(dir string, now time.Time, log *zap.Logger) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		log.Debug("cannot look for leftovers", zap.Error(err))
	}
	for _, e := range entries {
		if !leftover.MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < LeftoverAge {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if err := os.RemoveAll(path); err != nil {
			log.Debug("cannot remove a leftover", zap.Error(err))
			continue
		}
		log.Info("removed what a killed process had left", zap.String("path", path))
	}
}
