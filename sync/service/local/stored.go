package local

import (
	"bytes"
	"net/http"
)

// storedFile is the record of a file; its bytes lie under another name in the folder files. A path is a name, not a place on the disk: "a" and
// "a/b" can both be files.
type storedFile struct {
	Blob     string `json:"blob"`
	Mime     string `json:"mime"`
	Size     int64  `json:"size"`
	Created  int64  `json:"created"`
	Accessed int64  `json:"accessed"`
}

// fileOf returns the record of a file of the account, nil where there is none.
func fileOf(tx *Tx, p string) (*storedFile, error) {
	b := tx.bucket(bucketStorage).Bucket([]byte(tx.account()))
	if b == nil {
		return nil, nil
	}
	f, _, err := getRecord[storedFile](b, p)
	return f, err
}

// storedIn returns the record of a file of this account. Paths of different accounts are different: what another account has under the path is
// not asked for.
func storedIn(tx *Tx, p string) (*storedFile, error) {
	f, err := fileOf(tx, p)
	if err == nil && f == nil {
		err = refuse(http.StatusNotFound, "there is no file %q in the storage", p)
	}
	return f, err
}

func putFile(tx *Tx, p string, f *storedFile) error {
	b, err := tx.bucket(bucketStorage).CreateBucketIfNotExists([]byte(tx.account()))
	if err != nil {
		return err
	}
	return putRecord(b, p, f)
}

// removeFile takes away the record of a file that is there.
func removeFile(tx *Tx, p string) error {
	return tx.bucket(bucketStorage).Bucket([]byte(tx.account())).Delete([]byte(p))
}

// eachFile calls do with the files whose paths begin with a prefix, in the order of their paths, from behind one of them on.
func eachFile(tx *Tx, prefix, after string, do func(p string, f *storedFile) (more bool)) error {
	b := tx.bucket(bucketStorage).Bucket([]byte(tx.account()))
	if b == nil {
		return nil
	}
	cursor := b.Cursor()
	k, _ := cursor.Seek([]byte(max(prefix, after)))
	if after != "" && string(k) == after {
		k, _ = cursor.Next()
	}
	for ; k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = cursor.Next() {
		f, _, err := getRecord[storedFile](b, string(k))
		if err != nil {
			return err
		}
		if !do(string(k), f) {
			return nil
		}
	}
	return nil
}

// blobsOf are the names of the bytes of all files, of all accounts.
func blobsOf(tx *Tx) (map[string]bool, error) {
	known := map[string]bool{}
	err := tx.bucket(bucketStorage).ForEachBucket(func(account []byte) error {
		b := tx.bucket(bucketStorage).Bucket(account)
		return b.ForEach(func(p, _ []byte) error {
			f, _, err := getRecord[storedFile](b, string(p))
			if err == nil {
				known[f.Blob] = true
			}
			return err
		})
	})
	return known, err
}
