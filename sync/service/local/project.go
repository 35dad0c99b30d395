package local

import (
	"encoding/json"
	"errors"
)

// projectOf returns a project of any account, nil where there is none.
func projectOf(tx *Tx, id string) (*project, error) {
	p, _, err := getRecord[project](tx.bucket(bucketProjects), id)
	return p, err
}

func putProject(tx *Tx, p *project) error { return putRecord(tx.bucket(bucketProjects), p.ID, p) }

// removeProject takes away a project with everything that belongs to it.
func removeProject(tx *Tx, p *project) error {
	if collectionsOf(tx, p.ID) != nil {
		if err := tx.bucket(bucketKeys).DeleteBucket([]byte(p.ID)); err != nil {
			return err
		}
	}
	return errors.Join(removeDocuments(tx, p.ID), removeTasks(tx, p.ID), tx.bucket(bucketStatistics).Delete([]byte(p.ID)),
		tx.bucket(bucketProjects).Delete([]byte(p.ID)))
}

// projectNamed finds a project of this account by its name.
func projectNamed(tx *Tx, name string) (found *project, err error) {
	err = eachProject(tx, func(p *project) {
		if p.Name == name {
			found = p
		}
	})
	return found, err
}

// eachProject calls do with the projects of the account.
func eachProject(tx *Tx, do func(p *project)) error {
	return tx.bucket(bucketProjects).ForEach(func(_, raw []byte) error {
		p := new(project)
		if err := json.Unmarshal(raw, p); err != nil {
			return err
		}
		if p.Account == tx.account() {
			do(p)
		}
		return nil
	})
}
