package local

import (
	"fmt"

	"github.com/locsync/locsync/sync/service/wire"
)

// ensure makes a localization project when there is none, and adds target languages to one that is there.
func (s *projectsService) ensure(id, name, source string, targets []string) error {
	id, err := projectID(id)
	if err != nil {
		return err
	}
	want := project{ID: id, Account: s.store.account, Type: wire.ProjectTypeLocalization, Name: name, Source: source, Targets: targets}
	if err := want.checkLanguages("source language", "target languages"); err != nil {
		return err
	}
	return s.store.update(func(tx *Tx) error {
		have, err := projectOf(tx, id)
		if err != nil {
			return err
		}
		if have == nil {
			want.Stages = newStages(stagesOfLocalization)
			return addProject(tx, &want)
		}
		switch {
		case have.Account != s.store.account:
			return fmt.Errorf("project %s belongs to another account of this folder: give the project another id", id)
		case have.Type != wire.ProjectTypeLocalization:
			return fmt.Errorf("project %s translates documents: give the project another id", id)
		case have.Source != want.Source:
			return fmt.Errorf("project %s has the source language %s, which cannot be changed to %s: give the project another id", id, have.Source, want.Source)
		}
		if more := union(have.Targets, want.Targets); len(more) > len(have.Targets) {
			have.Targets, have.Modified = more, s.store.now()
			if err := putProject(tx, have); err != nil {
				return err
			}
		}
		return joinAllCollections(tx, id, want.Targets)
	})
}
