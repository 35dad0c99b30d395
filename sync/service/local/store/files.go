package store

import (
	"bytes"
	"net/http"

	"github.com/locsync/locsync/sync/service/local/api"
)

// StoredFile is the record of a file; its bytes are in the folder files under another name. A path is only a name
// and not one of the disk: "a" and "a/b" can both be files.
type StoredFile struct {
	Blob     string `json:"blob"`
	Mime     string `json:"mime"`
	Size     int64  `json:"size"`
	Created  int64  `json:"created"`
	Accessed int64  `json:"accessed"`
}

// FileOf returns the record of a file of the account, nil where there is none.
func FileOf(tx *Tx, p string) (*StoredFile, error) {
	b := tx.bucket(bucketStorage).Bucket([]byte(tx.Account()))
	if b == nil {
		return nil, nil
	}
	f, _, err := getRecord[StoredFile](b, p)
	return f, err
}

// StoredIn returns the record of a file of this account. Paths of different accounts are different: what another
// account has under the path is not asked for.
func StoredIn(tx *Tx, p string) (*StoredFile, error) {
	f, err := FileOf(tx, p)
	if err == nil && f == nil {
		err = api.Refuse(http.StatusNotFound, "there is no file %q in the storage", p)
	}
	return f, err
}

func PutFile(tx *Tx, p string, f *StoredFile) error {
	b, err := tx.bucket(bucketStorage).CreateBucketIfNotExists([]byte(tx.Account()))
	if err != nil {
		return err
	}
	return putRecord(b, p, f)
}

// RemoveFile takes away the record of a file that is there.
func RemoveFile(tx *Tx, p string) error {
	return tx.bucket(bucketStorage).Bucket([]byte(tx.Account())).Delete([]byte(p))
}

// EachFile calls do with the files whose paths begin with a prefix, in the order of their paths, from behind one of
// them on.
func EachFile(tx *Tx, prefix, after string, do func(p string, f *StoredFile) (more bool)) error {
	b := tx.bucket(bucketStorage).Bucket([]byte(tx.Account()))
	if b == nil {
		return nil
	}
	cursor := b.Cursor()
	k, _ := cursor.Seek([]byte(max(prefix, after)))
	if after != "" && string(k) == after {
		k, _ = cursor.Next()
	}
	for ; k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = cursor.Next() {
		f, _, err := getRecord[StoredFile](b, string(k))
		if err != nil {
			return err
		}
		if !do(string(k), f) {
			return nil
		}
	}
	return nil
}

// BlobsOf are the names of the bytes of all files, of all accounts.
func BlobsOf(tx *Tx) (map[string]bool, error) {
	known := map[string]bool{}
	err := tx.bucket(bucketStorage).ForEachBucket(func(account []byte) error {
		b := tx.bucket(bucketStorage).Bucket(account)
		return b.ForEach(func(p, _ []byte) error {
			f, _, err := getRecord[StoredFile](b, string(p))
			if err == nil {
				known[f.Blob] = true
			}
			return err
		})
	})
	return known, err
}
