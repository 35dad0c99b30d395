package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"time"
)

const (
	// releases is where the newest release is known, unless LOCSYNC_RELEASES says otherwise.
	releases = "https://github.com/locsync/locsync/releases"
	// releasePatience is how long the answer may take: nothing depends on it.
	releasePatience = 5 * time.Second
)

// probeRelease says whether there is a newer release. A program that was built from source is not compared with any.
func (d *doctor) probeRelease(ctx context.Context, n *notes) {
	address := cmp.Or(d.getenv("LOCSYNC_RELEASES"), releases)
	own, released := numbers(d.o.Program.Version)
	if !released || d.o.Offline || address == "none" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, releasePatience)
	defer cancel()
	name, err := newestRelease(ctx, address)
	newest, known := numbers(name)
	switch {
	case err != nil:
		n.skip("release", fmt.Sprintf("whether there is a newer one is not known: %v", err))
	case !known:
		n.skip("release", "whether there is a newer one is not known: "+address+" names none")
	case slices.Compare(own, newest) < 0:
		n.warn("release", "upgrade as `locsync help upgrade` says; LOCSYNC_RELEASES=none ends this notice",
			"locsync %s is released", name)
	default:
		n.ok("release", "there is none newer")
	}
}

// newestRelease reads where the address of the newest release leads.
func newestRelease(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address+"/latest", nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	return path.Base(resp.Header.Get("Location")), resp.Body.Close()
}

// numbers are those of a release such as 1.2.3 or v1.2.3.
func numbers(version string) ([]int, bool) {
	all := make([]int, 3)
	if len(version) > 0 && version[0] == 'v' {
		version = version[1:]
	}
	_, err := fmt.Sscanf(version, "%d.%d.%d", &all[0], &all[1], &all[2])
	return all, err == nil
}
