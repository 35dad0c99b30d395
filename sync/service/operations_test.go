package service_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// tried is an operation as a call that can be tried against any answer.
type tried struct {
	name string
	ok   http.HandlerFunc
	// changes: it must not be carried out twice unless repeatable.
	changes, repeatable bool
	silent              bool // its answer has no content
	stream              bool // its answer is handed on as it comes
	waits               bool // 400 means that it is not ready
	do                  func(context.Context, *service.Client) error
}

func operation(name string) tried {
	for _, op := range operations {
		if op.name == name {
			return op
		}
	}
	panic("no operation is called " + name)
}

// operations are all that the client can do, but for those that are written like another one in the list.
var operations = []tried{
	{name: "start import", ok: service.Say(200, `"id1"`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Strings().StartImport(ctx, oneFile())
			return err
		}},
	{name: "create project", ok: service.Say(200, `{"id":"p"}`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Projects().Create(ctx, service.NewProject{Name: "n", SourceLanguage: "en",
				TargetLanguages: []string{"de"}})
			return err
		}},
	{name: "start export", ok: service.Say(200, `"id1"`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Strings().StartExport(ctx, service.ExportRequest{Project: "p", Languages: []string{"de"}})
			return err
		}},
	{name: "start export v1", ok: service.Say(200, `"id1"`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Strings().StartExportV1(ctx, "p", []string{"de"})
			return err
		}},
	{name: "delete project", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return c.Projects().Delete(ctx, "p")
		}},
	{name: "add targets", ok: service.Say(200, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return c.Projects().AddTargets(ctx, "p", []string{"de"})
		}},
	{name: "add language", ok: service.Say(204, ""), changes: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return c.Projects().AddLanguage(ctx, "p", "de", true)
		}},
	{name: "complete project", ok: service.Say(204, ""), changes: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return c.Projects().Complete(ctx, "p")
		}},
	{name: "read project", ok: service.Say(200, `{"id":"p"}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Projects().Read(ctx, "p")
			return err
		}},
	{name: "read import result", ok: service.Say(200, `{"status":"completed"}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Strings().ImportResult(ctx, "i")
			return err
		}},
	{name: "download", ok: service.Say(200, "raw", "Content-Disposition", `attachment; filename="a.json"`),
		repeatable: true, do: func(ctx context.Context, c *service.Client) error {
			return closed(c.Strings().TryDownload(ctx, "e", ""))
		}},
	{name: "download document", ok: service.Say(200, "raw", "Content-Disposition", `attachment; filename="a.txt"`),
		repeatable: true, do: func(ctx context.Context, c *service.Client) error {
			return closed(documents.Of(c).TryDownload(ctx, "e", ""))
		}},

	{name: "add documents", ok: service.Say(200, `[{"id":"d_7"}]`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.Of(c).Add(ctx, "p", []service.NewDocument{{File: text("a.txt", "Hello")}})
			return err
		}},
	{name: "update document", ok: service.Say(200, `[{"id":"d_7"}]`), changes: true, repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.Of(c).Update(ctx, "d_7", text("a.txt", "Hello"), documents.DocumentUpdateModel{})
			return err
		}},
	{name: "delete documents", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.Of(c).Delete(ctx, "d_7", "e_7")
		}},
	{name: "read document", ok: service.Say(200, `{"id":"d_7"}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.Of(c).Read(ctx, "d_7")
			return err
		}},
	{name: "set meta info", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.Of(c).SetMetaInfo(ctx, "d_7", "m")
		}},
	{name: "start document export", ok: service.Say(200, `{"id":"id1","documentIds":["d_7"]}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.Of(c).StartExport(ctx, documents.ExportRequest{Documents: []string{"d_7"}})
			return err
		}},

	{name: "read project statistics", ok: service.Say(200, `{"de":{"statistics":[]}}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.StatisticsOf(c).TryByDocument(ctx, "p", false)
			return err
		}},
	{name: "read document statistics", ok: service.Say(200, `{"name":"a","statistics":[]}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.StatisticsOf(c).TryDocument(ctx, "d_7", false)
			return err
		}},
	{name: "build statistics", ok: service.Say(202, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.StatisticsOf(c).Build(ctx, "p", false)
		}},
	{name: "set fuzzy repetitions", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.StatisticsOf(c).SetFuzzyRepetitions(ctx, "p", true)
		}},

	{name: "read engines", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.EnginesOf(c).Attached(ctx, "p")
			return err
		}},
	{name: "set engines", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return memories.EnginesOf(c).Set(ctx, "p", []memories.Engine{{ID: "engine:x", Languages: []string{"de"}}})
		}},
	{name: "list memories", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.Of(c).List(ctx, memories.Filter{})
			return err
		}},
	{name: "create memory", ok: service.Say(201, `"m"`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.Of(c).Create(ctx, "n", "en", []string{"de"})
			return err
		}},
	{name: "import memory", ok: service.Say(204, ""), changes: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return memories.Of(c).Import(ctx, "m", text("a.tmx", "<tmx/>"), false)
		}},
	{name: "replace memory", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return memories.Of(c).Import(ctx, "m", text("a.tmx", "<tmx/>"), true)
		}},
	{name: "export memory", ok: service.Say(200, "<tmx/>"), repeatable: true, stream: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.Of(c).Export(ctx, "m", "", io.Discard)
			return err
		}},
	{name: "set project memories", ok: service.Say(200, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return memories.Of(c).Attach(ctx, "p",
				[]memories.ProjectMemory{{ID: "m", MatchThreshold: 75, IsWritable: true}})
		}},

	{name: "list glossaries", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.GlossariesOf(c).List(ctx)
			return err
		}},
	{name: "set project glossaries", ok: service.Say(204, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return memories.GlossariesOf(c).Attach(ctx, "p", []string{"g"})
		}},
	{name: "start glossary import", ok: service.Say(200, `"id1"`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.GlossariesOf(c).StartImport(ctx, "g", text("a.csv", "en,de"), false)
			return err
		}},
	{name: "read glossary import", ok: service.Say(200, `"completed"`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.GlossariesOf(c).ImportState(ctx, "t")
			return err
		}},
	{name: "start glossary export", ok: service.Say(200, `"id1"`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.GlossariesOf(c).StartExport(ctx, "g")
			return err
		}},
	{name: "download glossary", ok: service.Say(200, "PK"), repeatable: true, stream: true, waits: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.GlossariesOf(c).TryDownload(ctx, "t", io.Discard)
			return err
		}},

	{name: "list tasks", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.TasksOf(c).List(ctx, "p", documents.TaskFilter{})
			return err
		}},
	{name: "assign task", ok: service.Say(200, `true`), changes: true, repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.TasksOf(c).Assign(ctx, "p", "t", []string{"u"}, false)
		}},
	{name: "set deadline of task", ok: service.Say(200, `true`), changes: true, repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			return documents.TasksOf(c).SetDeadline(ctx, "p", "t", time.Unix(1, 0))
		}},
	{name: "search team", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.TasksOf(c).SearchTeam(ctx, documents.TeamSearch{Limit: 10})
			return err
		}},
	{name: "translate", ok: service.Say(200, `{"translations":{"de":[{"translation":"Hallo"}]}}`), changes: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := memories.EnginesOf(c).Translate(ctx, hello())
			return err
		}},

	{name: "read callback", ok: service.Say(200, `{"url":"https://h"}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Callbacks().Read(ctx)
			return err
		}},
	{name: "set callback", ok: service.Say(200, ""), changes: true, repeatable: true, silent: true,
		do: func(ctx context.Context, c *service.Client) error {
			return c.Callbacks().Set(ctx, service.Callback{URL: "https://h/callback"})
		}},
	{name: "list callback errors", ok: service.Say(200, `[]`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := c.Callbacks().Errors(ctx, 10)
			return err
		}},

	{name: "upload files", ok: service.Say(201, `[{"name":"a"}]`), changes: true, repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.StorageOf(c).UploadFiles(ctx, "a/b",
				[]service.File{text("a.txt", "a"), text("b.txt", "b")},
				true)
			return err
		}},
	{name: "download file", ok: service.Say(200, "b"), repeatable: true, stream: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.StorageOf(c).Download(ctx, "a/b.txt", io.Discard)
			return err
		}},
	{name: "list files", ok: service.Say(200, `{"items":[]}`), repeatable: true,
		do: func(ctx context.Context, c *service.Client) error {
			_, err := documents.StorageOf(c).List(ctx, "a")
			return err
		}},
}

// oneFile is an import of one key.
func oneFile() service.ImportRequest {
	return service.ImportRequest{
		Project: "p", Language: "en", Format: wire.FormatJSON,
		Files: []service.Upload{{Name: "a.json", Body: []byte(`{"k":"v"}`)}},
	}
}

// text is a file that can be read again.
func text(name, content string) service.File {
	return service.File{Name: name, Size: int64(len(content)), Content: strings.NewReader(content)}
}

func hello() memories.TranslateRequest {
	return memories.TranslateRequest{SourceLanguage: "en", TargetLanguages: []string{"de"},
		Texts: []wire.TranslateText{{Text: "Hello"}}}
}

// What was handed on is not handed on again: the call ends, and says how far it came.
func TestStreamCutOff(t *testing.T) {
	for _, op := range operations {
		if !op.stream {
			continue
		}
		s := service.Serve(t, service.Half, op.ok)
		err := op.do(t.Context(), s.Client(t))
		if !errors.Is(err, service.ErrTemporary) || len(s.Seen()) != 1 ||
			!strings.Contains(err.Error(), "after 4 bytes") {
			t.Errorf("%s: %d requests, %v", op.name, len(s.Seen()), err)
		}
	}
}

// A login page in the place of a file is not handed on.
func TestLoginPageInsteadOfAFile(t *testing.T) {
	for _, name := range []string{"export memory", "download glossary"} {
		s := service.Serve(t, service.Say(200, "<html>Login</html>", "Content-Type", "text/html; charset=utf-8"))
		if err := operation(name).do(t.Context(), s.Client(t)); !errors.Is(err, service.ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An answer says what it says to every operation: 204 where a list is empty, unknown words, and members of
// other types.
func TestOperationsSurvive(t *testing.T) {
	for _, op := range operations {
		if op.silent || op.stream {
			continue
		}
		w := httptest.NewRecorder()
		op.ok(w, nil)
		body := w.Body.String()
		if strings.HasPrefix(body, "{") {
			body = `{"brandNew":{"a":[1]},"status":"brandNew","name":7,` + body[1:]
			s := service.Serve(t, func(rw http.ResponseWriter, r *http.Request) {
				for name, values := range w.Result().Header {
					rw.Header()[name] = values
				}
				_, _ = io.WriteString(rw, body)
			})
			if err := op.do(t.Context(), s.Client(t)); err != nil {
				t.Errorf("%s: %s: %v", op.name, body, err)
			}
		}
	}
}
