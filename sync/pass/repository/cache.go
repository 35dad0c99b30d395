package repository

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops"
	"go.uber.org/zap"
)

// Clones are caches: together they take so much of the disk at most as the configuration says. Those go that were used
// least recently; never one in use, and never one with a commit that was not delivered. A clone that is gone is made
// again when it is needed.

// cache is a folder of clones, as this process uses it.
type cache struct {
	folder string

	mu    sync.Mutex
	users map[string]int   // those that have a clone open, by its folder
	uses  map[string]int   // how often it was opened
	sizes map[string]int64 // of those that were not used since they were measured
	again time.Time        // before this the folder is not looked at
}

// caches are those of this process, by folders: engines come and go with the configuration.
var caches sync.Map

func cacheOf(folder string) *cache {
	c, _ := caches.LoadOrStore(folder, &cache{folder: folder, users: make(map[string]int), uses: make(map[string]int),
		sizes: make(map[string]int64)})
	return c.(*cache)
}

// use says that a clone is in use, until done is called.
func (c *cache) use(dir string) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users[dir]++
	c.uses[dir]++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.users[dir]--; c.users[dir] == 0 {
			delete(c.users, dir)
		}
		delete(c.sizes, dir)
	})
}

// touch notes when a clone was used. One that is not there yet is new.
func (c *cache) touch(dir string, now time.Time) { _ = os.Chtimes(dir, now, now) }

// cached is a clone on the disk.
type cached struct {
	dir  string
	used time.Time
	size int64
	uses int
}

// lookAgain is how often the folder is looked at: there may be thousands of clones.
const lookAgain = time.Minute

// shrink removes clones until the others take most bytes, and returns those that it has removed.
func (c *cache) shrink(ctx context.Context, most int64, now time.Time) (removed []cached, err error) {
	c.mu.Lock()
	due := !now.Before(c.again) || c.again.Sub(now) > lookAgain // the clock may be another one now
	if due {
		c.again = now.Add(lookAgain)
	}
	c.mu.Unlock()
	if !due {
		return nil, nil
	}
	all, err := c.measure(ctx)
	var total int64
	for _, clone := range all {
		total += clone.size
	}
	slices.SortFunc(all, func(a, b cached) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.dir, b.dir)) })
	for _, clone := range all {
		if total <= most || ctx.Err() != nil {
			break
		}
		gone, rerr := c.remove(ctx, clone)
		err = errors.Join(err, rerr)
		if gone {
			total -= clone.size
			removed = append(removed, clone)
		}
	}
	return removed, err
}

// measure lists the clones, and takes away what an interrupted removal has left.
func (c *cache) measure(ctx context.Context) ([]cached, error) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return nil, err
	}
	var all []cached
	var errs []error
	for _, e := range entries {
		dir := filepath.Join(c.folder, e.Name())
		if strings.HasSuffix(dir, goneSuffix) {
			errs = append(errs, os.RemoveAll(dir))
		}
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(dir, ".git") || ctx.Err() != nil {
			continue // it went meanwhile
		}
		c.mu.Lock()
		size, known := c.sizes[dir]
		clone := cached{dir: dir, used: info.ModTime(), uses: c.uses[dir]}
		c.mu.Unlock()
		if !known {
			size = sizeOf(dir)
			c.mu.Lock()
			if c.uses[dir] == clone.uses && c.users[dir] == 0 {
				c.sizes[dir] = size
			}
			c.mu.Unlock()
		}
		clone.size = size
		all = append(all, clone)
	}
	return all, errors.Join(errs...)
}

// sizeOf is what the files of a folder take. What goes meanwhile is not counted.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// goneSuffix is what a clone that is being removed is called.
const goneSuffix = ".gone"

// remove removes a clone, unless it is in use, was used since it was listed, or has a commit that was not delivered.
func (c *cache) remove(ctx context.Context, clone cached) (gone bool, err error) {
	if waits, err := gitops.Undelivered(ctx, clone.dir); waits || err != nil {
		return false, err
	}
	c.mu.Lock()
	if c.users[clone.dir] > 0 || c.uses[clone.dir] != clone.uses {
		c.mu.Unlock()
		return false, nil
	}
	err = os.Rename(clone.dir, clone.dir+goneSuffix) // at once: the next use makes it again
	delete(c.sizes, clone.dir)
	c.mu.Unlock()
	if err != nil {
		return false, err
	}
	return true, os.RemoveAll(clone.dir + goneSuffix)
}

// Shrink keeps the clones of all projects within the size that the configuration allows. A pass does not fail for it.
func (r *Repository) Shrink(ctx context.Context) {
	if !r.branch.Project.Cloned() || r.Clones == "" {
		return
	}
	most := int64(r.branch.Config.ClonesGB * 1e9)
	removed, err := cacheOf(r.Clones).shrink(ctx, most, r.branch.Now())
	for _, clone := range removed {
		r.branch.Log.Info("a clone was removed: all of them are larger than clones_gb allows, and it was used least recently",
			zap.String("clone", clone.dir), zap.Int64("bytes", clone.size), zap.Time("used", clone.used))
	}
	if err != nil && ctx.Err() == nil {
		r.branch.Log.Warn("keep the clones within clones_gb", zap.Error(err))
	}
}
