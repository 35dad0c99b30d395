package page

import (
	"net/http"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// archive archives a key, restores one that is archived, or deletes it for good.
func (s *Service) archive(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if !v.Manages() {
		return api.Refuse(http.StatusForbidden, "Only managers archive, restore and delete keys. Ask one of them.")
	}
	p, done, noted := scopeOf(r), "", ""
	at, known := readPosition(r.PostFormValue("at"))
	err := s.Store.Update(func(tx *store.Tx) error {
		o, err := p.open(tx, s.Checks)
		if err != nil {
			return err
		}
		it, err := o.at(at)
		if err != nil {
			return err
		}
		k, err := store.OpenCollection(tx, o.project.ID, at.Collection)
		if err != nil {
			return err
		}
		n := store.Number(at.Row)
		switch do := r.PostFormValue("do"); {
		case !known:
			err = api.Refuse(http.StatusBadRequest, "The form is not whole; load the page again.")
		case do == "archive" && p.Show != showArchived:
			done, noted, err = "archived", store.NotedKeysArchived, k.Archive(n, it.stored)
		case do == "restore" && p.Show == showArchived:
			done, noted = "restored", store.NotedKeysRestored
			_, _, err = k.Restore(it.stored.Key, it.stored.Plural)
		case do == "delete" && p.Show == showArchived:
			done, noted, err = "deleted", store.NotedKeysDeleted, k.RemoveArchived(n, it.stored)
		default:
			err = api.Refuse(http.StatusBadRequest, "The form is not whole; load the page again.")
		}
		if err != nil {
			return err
		}
		err = store.PutNote(tx, noted, v.Name, store.Noted{Project: o.project.ID, Collection: at.Collection, Count: 1,
			Keys: []string{it.stored.Key}})
		if err != nil {
			return err
		}
		tx.OnCommit(func() { s.Saved(o.project.ID, false) })
		if err := k.Save(); err != nil {
			return err
		}
		return store.NotifyIn(tx, wire.CallbackProjectStatus, o.project.ID)
	})
	if err != nil {
		return err
	}
	return goTo(w, "list?"+string(p.With("said", done)))
}
