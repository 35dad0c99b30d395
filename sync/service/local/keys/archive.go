package keys

import (
	"errors"

	"github.com/locsync/locsync/sync/service/local/store"
	"go.uber.org/zap"
)

// Archive puts keys of a collection aside, which their client says are gone from its source: they keep their
// translations, and come back when the source language is imported with them. Keys that are not there are left out.
func (s *Service) Archive(project, collection string, keys []string) error {
	what := store.Noted{Project: project, Collection: collection}
	err := s.store.Update(func(tx *store.Tx) error {
		k, err := store.OpenCollection(tx, project, collection)
		if err != nil || k == nil {
			return err
		}
		for _, key := range keys {
			for _, plural := range []bool{false, true} {
				n, row, err := k.Find(key, plural)
				if err == nil && row != nil {
					what.Keys, what.Count = append(what.Keys, key), what.Count+1
					err = k.Archive(n, row)
				}
				if err != nil {
					return err
				}
			}
		}
		if what.Count == 0 {
			return nil
		}
		return errors.Join(k.Save(), store.PutNote(tx, store.NotedKeysArchived, "", what))
	})
	if err == nil && what.Count > 0 {
		s.log.Info("keys are archived: their source does not have them any more", zap.String("project", project),
			zap.String("collection", collection), zap.Int("keys", what.Count))
	}
	return err
}
