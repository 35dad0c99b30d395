package store

// Buckets of the keys of a collection that are archived: their client says that its source has them no longer. They
// keep their numbers, and with them their translations and history, and are in no list, count or export.
var (
	bucketArchivedIndex = []byte("archived index") // indexKey -> number of the row
	bucketArchivedRows  = []byte("archived rows")  // number -> row
)

// Archive puts a row aside.
func (k *Keyspace) Archive(n []byte, r *Row) error {
	if err := k.takeOut(n, r); err != nil {
		return err
	}
	k.Archived++
	return k.putInto(bucketArchivedIndex, bucketArchivedRows, n, r)
}

// Restore brings an archived row back, with the translations that it had: nil where none is archived.
func (k *Keyspace) Restore(key string, plural bool) (n []byte, r *Row, err error) {
	aside := k.Aside()
	if aside == nil {
		return nil, nil, nil
	}
	if n, r, err = aside.Find(key, plural); err != nil || r == nil {
		return nil, nil, err
	}
	if err := k.forgetArchived(n, r); err != nil {
		return nil, nil, err
	}
	k.Keys++
	if r.Pseudo {
		k.Pseudo++
	}
	for _, code := range k.translated() {
		t, err := k.Translation(code, n)
		if err != nil {
			return nil, nil, err
		}
		k.count(code, r, t, +1)
	}
	return n, r, k.putInto(bucketIndex, bucketRows, n, r)
}

// RemoveArchived deletes an archived row with its translations.
func (k *Keyspace) RemoveArchived(n []byte, r *Row) error {
	if err := k.forgetTranslations(n); err != nil {
		return err
	}
	return k.forgetArchived(n, r)
}

// Aside is the collection with its archived rows in place of the others, to be read; nil where none is archived.
func (k *Keyspace) Aside() *Keyspace {
	if k.Archived == 0 {
		return nil
	}
	aside := *k
	aside.index, aside.rows = k.bucket.Bucket(bucketArchivedIndex), k.bucket.Bucket(bucketArchivedRows)
	return &aside
}

func (k *Keyspace) putInto(index, rows, n []byte, r *Row) error {
	for _, put := range []struct{ bucket, key, value []byte }{
		{index, IndexKey(r.Key, r.Plural), n}, {rows, n, r.encode()},
	} {
		b, err := k.bucket.CreateBucketIfNotExists(put.bucket)
		if err != nil {
			return err
		}
		if err := b.Put(put.key, put.value); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keyspace) forgetArchived(n []byte, r *Row) error {
	k.Archived--
	if err := k.bucket.Bucket(bucketArchivedIndex).Delete(IndexKey(r.Key, r.Plural)); err != nil {
		return err
	}
	return k.bucket.Bucket(bucketArchivedRows).Delete(n)
}

// forgetTranslations deletes what all languages have for a row, and its comments.
func (k *Keyspace) forgetTranslations(n []byte) error {
	if b, err := k.language(inComments, "", false); err != nil {
		return err
	} else if b != nil {
		if err := b.Delete(n); err != nil {
			return err
		}
	}
	for _, code := range k.translated() {
		for _, kind := range []string{inLanguage, inPast, inOffers, inSuggestions} {
			if b, err := k.language(kind, code, false); err != nil {
				return err
			} else if b == nil {
				continue
			} else if err := b.Delete(n); err != nil {
				return err
			}
		}
	}
	return nil
}
