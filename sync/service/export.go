package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// Incomplete says what an export gives for a key without a translation of the asked completion state.
type Incomplete string

// The three ways, of which one is always sent: their default differs between formats.
const (
	SkipKeys Incomplete = "skip"     // the key is left out
	Blank    Incomplete = "blank"    // an empty text
	Fallback Incomplete = "fallback" // the source text
)

// ExportRequest says what is to be exported, and how it is laid out.
type ExportRequest struct {
	Project                string
	Languages              []string        // required
	Collection             string          // empty: "main"
	Format                 Format          // empty: json. There is no export of LocJSON
	PathSeparator          string          // sent for the structured formats only; empty: the service's default, "/"
	CompletionState        CompletionState // the least state; empty: Final
	Incomplete             Incomplete      // empty: SkipKeys
	IncludeDefaultLanguage *bool           // nil: not sent
	OutputTemplate         string          // empty: the service's default for the format
	Zip                    bool            // an archive also for a single file
	ModifiedSince          time.Time       // zero: everything. What comes back is then a part of each file
	Labels                 []string        // keys with any of these
	Keys                   []string        // only these keys (published description)
}

// StartExport starts an export and returns its identifier; see TryDownload and Download: POST
// /v2/project/{projectId}/export (service interface, software localization: export, which has the parameters; a
// body with keys is the published description's). An export changes nothing at the service, so a lost answer is
// repeated: at worst an export is never fetched.
func (s Strings) StartExport(ctx context.Context, r ExportRequest) (id JobID, err error) {
	cl := Call{
		Op: "start export", Bad: r.check(), Method: http.MethodPost, Path: PathOf(wire.PathExport, r.Project),
		Query: r.query(), Repeatable: true,
	}
	if len(r.Keys) > 0 {
		cl.Body = wire.ExportBody{Keys: r.Keys}
	}
	cl.Read = func(a *Answer) error {
		s.client.offers.Store(r.Project, a.Header.Get(wire.HeaderOwn))
		return Identifier(&id)(a)
	}
	err = s.client.Do(ctx, cl)
	return id, err
}

func (r *ExportRequest) query() url.Values {
	q := url.Values{}
	q.Set(wire.QueryLanguages, strings.Join(r.Languages, ","))
	q.Set(wire.QueryCollections, cmp.Or(r.Collection, wire.DefaultCollection))
	q.Set(wire.QueryFormat, string(cmp.Or(r.Format, wire.FormatJSON)))
	if r.Format.Structured() && r.PathSeparator != "" {
		q.Set(wire.QueryPathSeparator, r.PathSeparator)
	}
	q.Set(wire.QueryCompletionState, string(cmp.Or(r.CompletionState, wire.Final)))
	// Exactly one of the three, and none of them as "false": whether that counts as given is not known.
	q.Set(map[Incomplete]string{
		SkipKeys: wire.QuerySkipIncomplete, Blank: wire.QueryBlank, Fallback: wire.QueryFallback,
	}[cmp.Or(r.Incomplete, SkipKeys)], "true")
	if r.IncludeDefaultLanguage != nil {
		q.Set(wire.QueryIncludeDefault, strconv.FormatBool(*r.IncludeDefaultLanguage))
	}
	if r.OutputTemplate != "" {
		q.Set(wire.QueryOutputTemplate, r.OutputTemplate)
	}
	if r.Zip {
		q.Set(wire.QueryZip, "true")
	}
	if !r.ModifiedSince.IsZero() {
		q.Set(wire.QueryModifiedSince, r.ModifiedSince.UTC().Truncate(time.Second).Format(time.RFC3339))
	}
	if len(r.Labels) > 0 {
		q.Set(wire.QueryLabels, strings.Join(r.Labels, ","))
	}
	return q
}

func (r *ExportRequest) check() error {
	if err := Named("project", r.Project); err != nil {
		return err
	}
	switch {
	case len(r.Languages) == 0:
		return errors.New("no languages")
	case strings.Contains(r.Collection, ","):
		return fmt.Errorf("collection %q: want one, without commas", r.Collection)
	case !slices.Contains([]Incomplete{"", SkipKeys, Blank, Fallback}, r.Incomplete):
		return fmt.Errorf("incomplete %q: want skip, blank or fallback", r.Incomplete)
	case r.Format == wire.FormatLocJSON:
		return errors.New("the service exports no LocJSON; ask for json")
	}
	if err := CheckList("language", r.Languages); err != nil {
		return err
	}
	return CheckList("label", r.Labels)
}

// TryDownload looks once whether the export is ready: GET /v1/document/export/{exportId} (service interface,
// export of document translations, and software localization: export). If so, it takes it: spooled into a file
// in dir (empty: the system's folder for temporary files), checked completely, closed by the caller. An export
// that is not ready is ErrNotReady; one that failed is ErrExportFailed; one that the service does not know, or
// no longer, ErrNotFound; one that is damaged or beyond all bounds, ErrUnusable.
func (s Strings) TryDownload(ctx context.Context, id JobID, dir string) (*Archive, error) {
	return s.client.TryArchive(ctx, "download export", id, dir, false)
}

// TryArchive looks once whether an export is ready and, if so, takes it, see Strings.TryDownload; single says
// that it is of one document.
func (c *Client) TryArchive(ctx context.Context, op string, id JobID, dir string, single bool) (*Archive, error) {
	var archive *Archive
	err := c.Do(ctx, Call{
		Op: op, Bad: CheckID(string(id)), Method: http.MethodGet, Path: PathOf(wire.PathDownload, string(id)),
		Repeatable: true, Poll: true, Download: true,
		Read:  spoolTo(dir, single, &archive).WhenReady(),
		Means: map[int]error{http.StatusUnprocessableEntity: ErrExportFailed},
	})
	return archive, err
}

// Download waits until the export is ready, or ctx ends, and takes it as TryDownload does. The error of an
// export that was not ready when ctx ended wraps both ErrNotReady and ctx's error.
func (s Strings) Download(ctx context.Context, id JobID, dir string) (*Archive, error) {
	return s.client.WaitArchive(ctx, id, func(ctx context.Context) (*Archive,
		error) {
		return s.TryDownload(ctx, id, dir)
	})
}

// Downloads waits for several exports, as Download does for one, and hands each to ended as it is ready, to be
// closed there; when that answers false, or ctx ends, the others are left. One that is not ready after patience
// has an error that wraps context.DeadlineExceeded; 0 is without end.
func (s Strings) Downloads(ctx context.Context, exports []Begun, dir string, patience time.Duration,
	ended func(i int, a *Archive, err error) bool) {
	var archive *Archive
	s.client.waitEach(ctx, times(exports), patience, func(ctx context.Context, i int) (_ bool, err error) {
		archive, err = s.TryDownload(ctx, exports[i].ID, dir)
		return err == nil, err
	}, func(i int, err error) bool {
		if err != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
			err = Unfinished("export", exports[i].ID, err)
		}
		return ended(i, archive, err)
	})
}

// WaitArchive waits until try has the archive of an export, or ctx ends; see Strings.Download.
func (c *Client) WaitArchive(ctx context.Context, id JobID, try func(context.Context) (*Archive, error)) (*Archive,
	error) {
	archive, err := WaitFor(ctx, c, try)
	if err != nil && ctx.Err() != nil {
		return nil, Unfinished("export", id, err)
	}
	return archive, err
}

// StartExportV1 starts an export in the older form that the service interface has beside StartExport: POST
// /v1/project/{projectId}/export, which takes the languages and nothing else. Whatever else there is to say has
// the service's defaults.
func (s Strings) StartExportV1(ctx context.Context, project string, languages []string) (JobID, error) {
	return Start(ctx, s.client, Call{
		Op: "start export", Bad: Named("project", project), Method: http.MethodPost,
		Path: PathOf(wire.PathExportV1, project), Body: wire.ExportBodyV1{Languages: languages}, Repeatable: true,
	})
}
