package page

import (
	"net/http"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// archive archives a key, restores one that is archived, or deletes it for good.
func (s *Service) archive(w http.ResponseWriter, r *http.Request, v *visitor) error {
	p, done, noted := scopeOf(r), "", ""
	err := s.atKey(r, v, s.Store.Update, func(o *opened, it item) error {
		k, err := store.OpenCollection(o.tx, o.project.ID, it.At.Collection)
		if err != nil {
			return err
		}
		switch do := r.PostFormValue("do"); {
		case do == "archive" && p.Show != showArchived:
			done, noted, err = "archived", store.NotedKeysArchived, k.Archive(it.n(), it.stored)
		case do == "restore" && p.Show == showArchived:
			done, noted = "restored", store.NotedKeysRestored
			_, _, err = k.Restore(it.stored.Key, it.stored.Plural)
		case do == "delete" && p.Show == showArchived:
			done, noted, err = "deleted", store.NotedKeysDeleted, k.RemoveArchived(it.n(), it.stored)
		default:
			err = errNotWhole
		}
		if err != nil {
			return err
		}
		err = store.PutNote(o.tx, noted, v.Name, store.Noted{Project: o.project.ID, Collection: it.At.Collection, Count: 1,
			Keys: []string{it.stored.Key}})
		if err != nil {
			return err
		}
		o.tx.OnCommit(func() { s.Saved(o.project.ID, false) })
		if err := k.Save(); err != nil {
			return err
		}
		return store.NotifyIn(o.tx, wire.CallbackProjectStatus, o.project.ID)
	})
	return goTo(w, "list?"+string(p.With("said", done)), err)
}
