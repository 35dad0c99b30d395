package service

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// tried is an operation as a call that can be tried against any answer.
type tried struct {
	name string
	ok   step
	// changes: it must not be carried out twice unless repeatable.
	changes, repeatable bool
	silent              bool // its answer has no content
	stream              bool // its answer is handed on as it comes
	waits               bool // 400 means that it is not ready
	do                  func(context.Context, *Client) error
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
	{name: "start import", ok: say(200, `"id1"`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartImport(ctx, oneFile())
		return err
	}},
	{name: "create project", ok: say(200, `{"id":"p"}`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.CreateProject(ctx, NewProject{Name: "n", SourceLanguage: "en", TargetLanguages: []string{"de"}})
		return err
	}},
	{name: "start export", ok: say(200, `"id1"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartExport(ctx, ExportRequest{Project: "p", Languages: []string{"de"}})
		return err
	}},
	{name: "start export v1", ok: say(200, `"id1"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartExportV1(ctx, "p", []string{"de"})
		return err
	}},
	{name: "delete project", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.DeleteProject(ctx, "p")
	}},
	{name: "add targets", ok: say(200, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.AddTargets(ctx, "p", []string{"de"})
	}},
	{name: "add language", ok: say(204, ""), changes: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.AddLanguage(ctx, "p", "de", true)
	}},
	{name: "complete project", ok: say(204, ""), changes: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.CompleteProject(ctx, "p")
	}},
	{name: "read project", ok: say(200, `{"id":"p"}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Project(ctx, "p")
		return err
	}},
	{name: "read import result", ok: say(200, `{"status":"completed"}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.ImportResult(ctx, "i")
		return err
	}},
	{name: "download", ok: say(200, "raw", "Content-Disposition", `attachment; filename="a.json"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		return closed(c.TryDownload(ctx, "e", ""))
	}},
	{name: "download document", ok: say(200, "raw", "Content-Disposition", `attachment; filename="a.txt"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		return closed(c.TryDownloadDocument(ctx, "e", ""))
	}},

	{name: "add documents", ok: say(200, `[{"id":"d_7"}]`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.AddDocuments(ctx, "p", []NewDocument{{File: text("a.txt", "Hello")}})
		return err
	}},
	{name: "update document", ok: say(200, `[{"id":"d_7"}]`), changes: true, repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.UpdateDocument(ctx, "d_7", text("a.txt", "Hello"), DocumentUpdateModel{})
		return err
	}},
	{name: "delete documents", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.DeleteDocuments(ctx, "d_7", "e_7")
	}},
	{name: "read document", ok: say(200, `{"id":"d_7"}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Document(ctx, "d_7")
		return err
	}},
	{name: "rename document", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.RenameDocument(ctx, "d_7", "b")
	}},
	{name: "set meta info", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetDocumentMetaInfo(ctx, "d_7", "m")
	}},
	{name: "complete document", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.CompleteDocument(ctx, "d_7")
	}},
	{name: "translate document", ok: say(202, ""), changes: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.TranslateDocument(ctx, "d_7", text("a.json", "{}"), false, true)
	}},
	{name: "translate document with XLIFF", ok: say(202, ""), changes: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.TranslateDocumentWithXLIFF(ctx, "d_7", text("a.xliff", "<xliff/>"), false, true)
	}},
	{name: "read translation state", ok: say(200, `"completed"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.TranslationState(ctx, "d_7")
		return err
	}},
	{name: "read translation report", ok: say(200, `{"segments":3}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.TranslationReport(ctx, "d_7")
		return err
	}},
	{name: "start document export", ok: say(200, `{"id":"id1","documentIds":["d_7"]}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartDocumentExport(ctx, DocumentExportRequest{Documents: []string{"d_7"}})
		return err
	}},

	{name: "read project statistics", ok: say(200, `{"de":{"statistics":[]}}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.TryProjectStatistics(ctx, "p", false)
		return err
	}},
	{name: "read document statistics", ok: say(200, `{"name":"a","statistics":[]}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.TryDocumentStatistics(ctx, "d_7", false)
		return err
	}},
	{name: "build statistics", ok: say(202, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.BuildStatistics(ctx, "p", false)
	}},
	{name: "set fuzzy repetitions", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetFuzzyRepetitions(ctx, "p", true)
	}},

	{name: "read engines", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Engines(ctx, "p")
		return err
	}},
	{name: "set engines", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetEngines(ctx, "p", []Engine{{ID: "engine:x", Languages: []string{"de"}}})
	}},
	{name: "list memories", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Memories(ctx, MemoryFilter{})
		return err
	}},
	{name: "create memory", ok: say(201, `"m"`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.CreateMemory(ctx, "n", "en", []string{"de"})
		return err
	}},
	{name: "import memory", ok: say(204, ""), changes: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.ImportMemory(ctx, "m", text("a.tmx", "<tmx/>"), false)
	}},
	{name: "replace memory", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.ImportMemory(ctx, "m", text("a.tmx", "<tmx/>"), true)
	}},
	{name: "export memory", ok: say(200, "<tmx/>"), repeatable: true, stream: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.ExportMemory(ctx, "m", "", io.Discard)
		return err
	}},
	{name: "set project memories", ok: say(200, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetProjectMemories(ctx, "p", []ProjectMemory{{ID: "m", MatchThreshold: 75, IsWritable: true}})
	}},
	{name: "set pretranslation rules", ok: say(200, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetPretranslationRules(ctx, "p", []PretranslationRule{{RuleType: wire.RuleMemory, Order: 1}}, true)
	}},

	{name: "list glossaries", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Glossaries(ctx)
		return err
	}},
	{name: "set project glossaries", ok: say(204, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetProjectGlossaries(ctx, "p", []string{"g"})
	}},
	{name: "start glossary import", ok: say(200, `"id1"`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartGlossaryImport(ctx, "g", text("a.csv", "en,de"), false)
		return err
	}},
	{name: "read glossary import", ok: say(200, `"completed"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.GlossaryImportState(ctx, "t")
		return err
	}},
	{name: "start glossary export", ok: say(200, `"id1"`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StartGlossaryExport(ctx, "g")
		return err
	}},
	{name: "download glossary", ok: say(200, "PK"), repeatable: true, stream: true, waits: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.TryDownloadGlossary(ctx, "t", io.Discard)
		return err
	}},

	{name: "list tasks", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Tasks(ctx, "p", TaskFilter{})
		return err
	}},
	{name: "assign task", ok: say(200, `true`), changes: true, repeatable: true, do: func(ctx context.Context, c *Client) error {
		return c.AssignTask(ctx, "p", "t", []string{"u"}, false)
	}},
	{name: "set deadline of task", ok: say(200, `true`), changes: true, repeatable: true, do: func(ctx context.Context, c *Client) error {
		return c.SetTaskDeadline(ctx, "p", "t", time.Unix(1, 0))
	}},
	{name: "search team", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.SearchTeam(ctx, TeamSearch{Limit: 10})
		return err
	}},
	{name: "translate", ok: say(200, `{"translations":{"de":[{"translation":"Hallo"}]}}`), changes: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Translate(ctx, hello())
		return err
	}},

	{name: "read callback", ok: say(200, `{"url":"https://h"}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.Callback(ctx)
		return err
	}},
	{name: "set callback", ok: say(200, ""), changes: true, repeatable: true, silent: true, do: func(ctx context.Context, c *Client) error {
		return c.SetCallback(ctx, Callback{URL: "https://h/callback"})
	}},
	{name: "list callback errors", ok: say(200, `[]`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.CallbackErrors(ctx, 10)
		return err
	}},

	{name: "upload files", ok: say(201, `[{"name":"a"}]`), changes: true, repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.UploadFiles(ctx, "a/b", []File{text("a.txt", "a"), text("b.txt", "b")}, true)
		return err
	}},
	{name: "upload file", ok: say(201, `{"name":"a"}`), changes: true, repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.UploadFile(ctx, "a/b.txt", text("b.txt", "b"))
		return err
	}},
	{name: "download file", ok: say(200, "b"), repeatable: true, stream: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.DownloadFile(ctx, "a/b.txt", io.Discard)
		return err
	}},
	{name: "list files", ok: say(200, `{"items":[]}`), repeatable: true, do: func(ctx context.Context, c *Client) error {
		_, err := c.StoredFiles(ctx, "a")
		return err
	}},
}

func closed(a *Archive, err error) error {
	if err == nil {
		err = a.Close()
	}
	return err
}

// text is a file that can be read again.
func text(name, content string) File {
	return File{Name: name, Size: int64(len(content)), Content: strings.NewReader(content)}
}

func hello() TranslateRequest {
	return TranslateRequest{SourceLanguage: "en", TargetLanguages: []string{"de"}, Texts: []wire.TranslateText{{Text: "Hello"}}}
}

// What was handed on is not handed on again: the call ends, and says how far it came.
func TestStreamCutOff(t *testing.T) {
	for _, op := range operations {
		if !op.stream {
			continue
		}
		s := serve(t, half, op.ok)
		err := op.do(t.Context(), s.client(t))
		if !errors.Is(err, ErrTemporary) || len(s.seen()) != 1 || !strings.Contains(err.Error(), "after 4 bytes") {
			t.Errorf("%s: %d requests, %v", op.name, len(s.seen()), err)
		}
	}
}

// A login page in the place of a file is not handed on.
func TestPageInsteadOfAFile(t *testing.T) {
	for _, name := range []string{"export memory", "download glossary"} {
		s := serve(t, say(200, "<html>Login</html>", "Content-Type", "text/html; charset=utf-8"))
		if err := operation(name).do(t.Context(), s.client(t)); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An answer says what it says to every operation: 204 where a list is empty, words that nobody knows, and members of other types.
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
			s := serve(t, func(rw http.ResponseWriter, r *http.Request) {
				for name, values := range w.Result().Header {
					rw.Header()[name] = values
				}
				_, _ = io.WriteString(rw, body)
			})
			if err := op.do(t.Context(), s.client(t)); err != nil {
				t.Errorf("%s: %s: %v", op.name, body, err)
			}
		}
	}
}
