package request

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/tree"
)

// storedData is the data of a request as the ledger has it, and requestData its inverse.
func storedData(data config.RequestData) ledger.RequestData {
	stored := ledger.RequestData{Project: data.Project, Branch: data.Branch, Base: data.Base, Languages: data.Languages,
		Files: data.Files, Keys: data.Keys, Added: data.Added, Changed: data.Changed, Removed: data.Removed,
		HeldBack: data.HeldBack}
	for _, n := range data.Counts {
		stored.Counts = append(stored.Counts, ledger.RequestCount(n))
	}
	return stored
}

func requestData(stored ledger.RequestData) config.RequestData {
	data := config.RequestData{Project: stored.Project, Branch: stored.Branch, Base: stored.Base,
		Languages: stored.Languages,
		Files:     stored.Files, Keys: stored.Keys, Added: stored.Added, Changed: stored.Changed, Removed: stored.Removed,
		HeldBack: stored.HeldBack}
	for _, n := range stored.Counts {
		data.Counts = append(data.Counts, config.RequestCount(n))
	}
	return data
}

// count counts what the branch has that base lacks. content is a digest of every file that differs, also those that
// are not ours.
func (b *Branch) count(
	ctx context.Context, tip, base *gitops.Tip,
) (data config.RequestData, content string, err error) {
	data = config.RequestData{Project: b.Project.Name, Branch: b.Project.Pull.Branch, Base: base.Branch()}
	blobs, err := b.Repo.History.ChangedTo(ctx, base.Hash(), tip.Hash())
	if err != nil {
		return data, "", err
	}
	ours, err := tree.Written(b.Project, tip, base)
	if err != nil {
		return data, "", err
	}
	sum := sha256.New()
	counts := make(map[string]*config.RequestCount)
	for _, path := range slices.Sorted(maps.Keys(blobs)) {
		fmt.Fprintf(sum, "%q %s\n", path, blobs[path])
		target, is := ours[path]
		if !is {
			continue
		}
		data.Files = append(data.Files, path)
		code := target.Language.Code
		if counts[code] == nil {
			counts[code] = &config.RequestCount{Language: code}
		}
		var texts [2]catalog.Catalog
		for i, at := range []*gitops.Tip{base, tip} {
			file, _, err := target.Sources[0].Read(at, path, target.Language)
			if err != nil {
				return data, "", err
			}
			texts[i] = bundle.Texts(file) // none of a file that cannot be read, which the passes name
		}
		countChanges(counts[code], texts[0], texts[1])
	}
	data.Languages = slices.Sorted(maps.Keys(counts))
	for _, code := range data.Languages {
		c := *counts[code]
		data.Counts = append(data.Counts, c)
		data.Added, data.Changed, data.Removed = data.Added+c.Added, data.Changed+c.Changed, data.Removed+c.Removed
	}
	data.Keys = data.Added + data.Changed + data.Removed
	return data, hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// countChanges adds what makes one list of texts another.
func countChanges(c *config.RequestCount, old, new catalog.Catalog) {
	before := make(map[catalog.Name]string, len(old))
	for _, u := range old {
		before[u.Name] = u.Text
	}
	for _, u := range new {
		switch text, there := before[u.Name]; {
		case !there:
			c.Added++
		case text != u.Text:
			c.Changed++
		}
		delete(before, u.Name)
	}
	c.Removed += len(before)
}
