package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Answer is what the service answered to a call of `api`.
type Answer struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body,omitempty"` // JSON as it came, a text in any other case
	File   string          `json:"file,omitempty"` // where it was written
	Bytes  int64           `json:"bytes"`
}

// apiCall is what the flags of `api` say.
type apiCall struct {
	fields, query, files []string
	input, output        string
}

// methods are those that api takes. Of them POST alone is not repeated when its answer is lost: the others do the same
// when they are made twice.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

func apiOperation() *Operation {
	f := &apiCall{}
	return &Operation{
		Name: "api", Args: "METHOD PATH", On: Any, Least: 2, Most: 2, Wants: "a method and a path",
		Short: "Make any request to the service, and print its answer",
		Long: "Makes a request with the account's credentials, within its budget of requests. PATH is behind " +
			"/api/integration, like /v1/account; {projectId} in it is the project's identifier. Fields are parameters of a " +
			"GET or DELETE, and members of a JSON body otherwise; their values are texts, so that a body of another shape " +
			"comes from --input. A request that fails for a moment is made again, but a POST is not when it may have been " +
			"carried out. The exit code tells as with every command: 1 where it may work later, 2 where it will not.",
		Example: "  locsync api GET /v1/account\n  locsync api GET /v2/project/list --query limit=5 --json\n" +
			"  locsync api PUT /v1/project/{projectId} -f name=App \\\n    -f deadline=2031-01-31T18:00:00Z\n" +
			"  locsync api POST /v1/project/{projectId}/mt --input engines.json\n" +
			"  locsync api GET /v1/document/export/$EXPORT --output guide.zip",
		Flags: []Flag{
			{Name: "field", Short: "f", Usage: "`NAME=VALUE` of a parameter or member; may be repeated", Value: &f.fields,
				Whole: true},
			{Name: "query", Usage: "`NAME=VALUE` of a parameter, whatever the method; may be repeated",
				Value: &f.query, Whole: true},
			{Name: "input", Usage: "`FILE` with the JSON body; - is standard input", Value: &f.input},
			{Name: "part", Usage: "send a form: `NAME=FILE` of one of its files; may be repeated", Value: &f.files, Whole: true},
			{Name: "output", Usage: "write the answer into `FILE`", Value: &f.output},
		},
		Document: Answer{},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			call, closes, err := f.call(s, args[0], args[1])
			defer closes()
			if err != nil {
				return Result{}, misuse(err)
			}
			return s.answer(ctx, call, f.output)
		},
	}
}

// call makes a call of the command line. What it opens is closed by closes.
func (f *apiCall) call(s *Session, method, path string) (call service.Call, closes func(), err error) {
	var open []*os.File
	closes = func() {
		for _, file := range open {
			_ = file.Close() // it was read only
		}
	}
	method = strings.ToUpper(method)
	if !slices.Contains(methods, method) {
		return call, closes, fmt.Errorf("%s is not a method; %s", method, spell.Meant(method, methods))
	}
	call = service.Call{Method: method, Repeatable: method != http.MethodPost, Changes: method != http.MethodGet}
	if call.Path, call.Query, err = apiPath(path, s.ID); err != nil {
		return call, closes, err
	}
	call.Op = method + " " + call.Path
	if err := pairs(f.query, call.Query.Add); err != nil {
		return call, closes, err
	}
	asParameters := method == http.MethodGet || method == http.MethodDelete
	switch {
	case len(f.files) > 0 && (asParameters || f.input != ""):
		return call, closes, errors.New("--part sends a form, which goes with POST and PUT, and not with --input")
	case f.input != "" && (method == http.MethodGet || len(f.fields) > 0):
		return call, closes, errors.New("--input is the whole body: it goes with POST, PUT and DELETE, and not with --field")
	case f.input != "":
		call.Body, err = f.body(s.In)
	case asParameters:
		err = pairs(f.fields, call.Query.Add)
	case len(f.files) > 0:
		call.Form, open, err = f.form()
	case len(f.fields) > 0:
		members := map[string]string{}
		err = pairs(f.fields, func(name, value string) { members[name] = value })
		call.Body = members
	}
	return call, closes, err
}

// apiPath is the path of a call, behind the prefix, with its parameters. It leads nowhere else than to the service: a
// scheme, a host and steps upwards are refused, in whatever spelling.
func apiPath(text, project string) (string, url.Values, error) {
	text = strings.TrimPrefix(text, wire.Prefix+"/")
	if strings.Contains(text, "{projectId}") && project == "" {
		return "", nil, errors.New("which project is {projectId}? Name one with --project, or its identifier with --id")
	}
	text = strings.ReplaceAll(text, "{projectId}", url.PathEscape(project))
	path, query, _ := strings.Cut("/"+strings.TrimPrefix(text, "/"), "?")
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return "", nil, fmt.Errorf("the parameters of %s: %w", text, err)
	}
	plain, err := url.PathUnescape(path)
	wrong := strings.ContainsFunc(path, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
	if err != nil || wrong || strings.HasPrefix(path, "//") || strings.ContainsAny(plain, `\#{}`) ||
		strings.Contains(plain, "://") {
		return "", nil, fmt.Errorf("%q is not a path of the service; want one like /v1/account, behind %s", text, wire.Prefix)
	}
	for part := range strings.SplitSeq(plain, "/") {
		if part == "." || part == ".." {
			return "", nil, fmt.Errorf("%q is not a path of the service: it has a step to another folder", text)
		}
	}
	return path, parameters, nil
}

// pairs hands NAME=VALUE on.
func pairs(all []string, take func(name, value string)) error {
	for _, one := range all {
		name, value, found := strings.Cut(one, "=")
		if !found || name == "" {
			return fmt.Errorf("%q: want NAME=VALUE", one)
		}
		take(name, value)
	}
	return nil
}

// body reads the JSON body.
func (f *apiCall) body(in io.Reader) (json.RawMessage, error) {
	var text []byte
	var err error
	if f.input == "-" {
		if text, err = io.ReadAll(io.LimitReader(in, longestInput+1)); err == nil && len(text) > longestInput {
			err = fmt.Errorf("standard input has more than %d bytes", longestInput)
		}
	} else {
		text, err = readBounded(f.input)
	}
	if err == nil && !json.Valid(text) {
		err = fmt.Errorf("--input %s is not JSON; --part sends files of another kind", f.input)
	}
	return text, err
}

// form is a multipart body of files, and of the fields as its model.
func (f *apiCall) form() (*service.Form, []*os.File, error) {
	var parts []service.Part
	var open []*os.File
	var failed error
	err := pairs(f.fields, func(name, value string) {
		var model any = value
		if json.Valid([]byte(value)) {
			model = json.RawMessage(value)
		}
		parts = append(parts, service.ModelPart(name, model))
	})
	files := make([]service.File, 0, len(f.files))
	err = errors.Join(err, pairs(f.files, func(name, path string) {
		content, file, err := transfer.Open(path, filepath.Base(path))
		if err != nil {
			failed = errors.Join(failed, err)
			return
		}
		files, open = append(files, content), append(open, file)
		parts = append(parts, service.FilePart(name, &files[len(files)-1]))
	}))
	if err = errors.Join(err, failed); err != nil {
		return nil, open, err
	}
	form, err := service.NewForm(parts...)
	return form, open, err
}

// answer makes the call and keeps what the service says, in a file or for the screen.
func (s *Session) answer(ctx context.Context, call service.Call, output string) (Result, error) {
	d := Answer{}
	if output == "" {
		var body []byte
		call.Read = func(a *service.Answer) error {
			var err error
			d.Status = a.Status
			body, err = io.ReadAll(io.LimitReader(a.Body, longestInput+1))
			return err
		}
		if err := s.Client.Do(ctx, call); err != nil {
			return Result{}, err
		}
		if len(body) > longestInput {
			return Result{}, misuse(fmt.Errorf("%s: the answer has more than %d bytes; --output FILE takes any number", call.Op,
				longestInput))
		}
		d.Bytes = int64(len(body))
		text := string(body)
		if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) {
			text += "\n"
		}
		switch {
		case len(body) > 0 && json.Valid(body):
			d.Body = body
		case len(body) > 0:
			var err error
			if d.Body, err = json.Marshal(string(body)); err != nil {
				return Result{}, err
			}
		}
		return Result{Document: d, Text: text}, nil
	}
	call.Download = call.Method == http.MethodGet
	r, err := writeResult(output, func(f *os.File) (int64, error) {
		call.Read = func(a *service.Answer) error {
			d.Status = a.Status
			return service.Copy(f, &d.Bytes)(a)
		}
		err := s.Client.Do(ctx, call)
		return d.Bytes, err
	})
	d.File = output
	r.Document = d
	return r, err
}
