package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/terminal"
)

func documentOperations() []*Operation {
	return []*Operation{
		{Name: "documents", Short: "Send documents to be translated, and fetch their translations",
			Long: "documents works with a project that translates documents, which is another one than that of the keys: " +
				"locsync project create --documents --write makes one and writes its id into the configuration; --id names " +
				"another. DOCUMENT is the path that a file was pushed with, which means all of its languages, or an id."},
		documentsPush(), documentsPull(), documentsList(), documentsShow(), documentsDelete(), documentsFormats(),
		documentsStatistics(),
	}
}

// pushSettings are what `documents push` says of its files.
type pushSettings struct {
	languages, bilingual []string
	excel, preset        string
	ocr, placeholders    bool
}

func documentsPush() *Operation {
	f := &pushSettings{ocr: true}
	return &Operation{
		Name: "documents push", Args: "FILE...", On: Documents, Least: 1, Wants: "files", Files: true,
		Short: "Add files as documents, or replace those of the same path that changed",
		Long: "A file that is a document of the project already, by its path below the current folder, is replaced where " +
			"it changed, in all languages; its translations stay. Others are added. A file that did not change costs no " +
			"request. The flags say how these files are taken apart; files that need another way are pushed by a command " +
			"of their own. Files that the service refuses or could not take apart are named (3).",
		Example: "  locsync documents push docs/guide.md docs/faq.html\n  locsync documents push --id $ID docs/*.md\n" +
			"  locsync documents push --language de --ocr=false scan.pdf\n" +
			"  locsync documents push --bilingual all,none,atLastStage old.xliff",
		Flags: []Flag{
			{Name: "language", Usage: "translate new documents into these `CODES` only", Value: &f.languages},
			{Name: "ocr", Usage: "read the text in pictures", Value: &f.ocr},
			{Name: "placeholders", Usage: "find placeholders in the texts", Value: &f.placeholders},
			{Name: "preset", Usage: "`NAME` of the preset for taking the file apart", Value: &f.preset},
			{Name: "excel", Usage: "a workbook has several languages: `FILE` with the JSON object that says in which columns",
				Value: &f.excel},
			{Name: "bilingual", Usage: "of a file with translations, `WORDS` for which are taken (all, none), what is locked " +
				"(none, byStates, confirmed) and what is confirmed (none, byStates, atFirstStage, atLastStage)",
				Value: &f.bilingual},
		},
		Document: transfer.DocumentsSent{},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			model, err := f.model()
			if err != nil {
				return Result{}, misuse(err)
			}
			sent, err := s.Transfer().Push(ctx, args, model)
			if err != nil {
				return Result{}, err
			}
			r := Result{Document: sent}
			for _, one := range sent.Documents {
				r.Text += one.Action + " " + one.Path
				if one.Error != "" {
					r.Text += ": " + one.Error
				}
				r.Text += "\n"
				r.Partial = r.Partial || one.Action == transfer.Failed
			}
			return r, nil
		},
	}
}

// model is what is said of every file.
func (f *pushSettings) model() (service.DocumentModel, error) {
	m := service.DocumentModel{TargetLanguages: f.languages, PresetDisassembleAlgorithm: f.preset}
	if !f.ocr {
		m.EnableOCR = &f.ocr
	}
	if f.placeholders {
		m.EnablePlaceholders = &f.placeholders
	}
	if f.excel != "" {
		text, err := readBounded(f.excel)
		if err != nil {
			return m, err
		}
		if !json.Valid(text) || !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
			return m, fmt.Errorf(`--excel %s: want a JSON object, like {"startingRow": 2, "columns": {"language": `+
				`{"en": "A", "de": "B"}}}`, f.excel)
		}
		m.DisassembleAlgorithmName, m.DisassembleSettings = wire.MultilingualExcel, text
	}
	if len(f.bilingual) > 3 {
		return m, fmt.Errorf("--bilingual has %d words; want at most three", len(f.bilingual))
	}
	if len(f.bilingual) > 0 {
		words := append(slices.Clone(f.bilingual), "", "")
		m.BilingualSettings = &wire.BilingualSettings{TargetSubstitutionMode: words[0], LockMode: words[1],
			ConfirmMode: words[2]}
	}
	return m, nil
}

func documentsPull() *Operation {
	o := &transfer.Options{State: service.Final}
	kind := "target"
	return &Operation{
		Name: "documents pull", On: Documents,
		Short: "Fetch the translations of all documents of a project",
		Long: "Writes the translation of every document below the current folder, at the path that --output makes of the " +
			"document's: {LANGUAGE}, {NAME} (without the extension), {EXT}, {DIR}, and {PATH} for all three. Files that did " +
			"not change are not written; documents whose record at the service did not change since they were fetched are " +
			"not asked for within a day, but with --full. What cannot be fetched, or has no place below the current folder, " +
			"is named (3).",
		Example: "  locsync documents pull\n  locsync documents pull --id $ID --language de,fr --state draft\n  " +
			"locsync documents pull --output 'docs/{LANGUAGE}/{NAME}.{EXT}'\n  locsync documents pull --type xliff --stage 1",
		Flags: []Flag{
			{Name: "output", Usage: "`TEMPLATE` of the files' paths (default: the configuration's, else {LANGUAGE}/{PATH})",
				Value: &o.Output},
			{Name: "state", Usage: "what has not reached this state is written in the source language",
				Value: (*string)(&o.State),
				Words: []string{string(service.Draft), string(service.Intermediate), string(service.Final)}},
			{Name: "stage", Usage: "what was confirmed at stage `N`, 1 being the first, in place of --state", Value: &o.Stage},
			{Name: "type", Usage: "what is fetched: the translated document, its source, or its segments", Value: &kind,
				Words: []string{string(wire.ExportTarget), string(wire.ExportSource), string(wire.ExportXLIFF),
					string(wire.ExportCSV)}},
			{Name: "language", Usage: "only these `CODES`", Value: &o.Languages},
			{Name: "full", Usage: "also what did not change since it was fetched", Value: &o.Full},
		},
		Document: transfer.DocumentsFetched{},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			configured := ""
			if s.Project != nil {
				configured = s.Project.Documents.Output
			}
			o.Output = cmp.Or(o.Output, configured, "{LANGUAGE}/{PATH}")
			if o.Stage < 0 {
				return Result{}, misuse(fmt.Errorf("--stage %d: the first stage is 1", o.Stage))
			}
			if kind != string(wire.ExportTarget) {
				o.Type = documents.ExportType(kind)
			}
			if err := o.Check(); err != nil {
				return Result{}, err
			}
			fetched, err := s.Transfer().Pull(ctx, *o, s.Project)
			if err != nil {
				return Result{}, err
			}
			return sayFetched(fetched), nil
		},
	}
}

// sayFetched tells what became of the documents of a pull.
func sayFetched(fetched transfer.DocumentsFetched) Result {
	r := Result{Document: fetched}
	if len(fetched.Documents) == 0 {
		r.Text = "the project has no documents: locsync documents push adds some, and --id names another project\n"
		return r
	}
	changed := 0
	for _, one := range fetched.Documents {
		switch {
		case one.Error != "":
			r.Partial = true
			r.Text += fmt.Sprintf("skipped: %s (%s): %s\n", one.Path, one.Language, one.Error)
		case one.Changed:
			changed++
			r.Text += one.File + "\n"
		}
	}
	r.Text += fmt.Sprintf("%s, %d written\n", terminal.Count(len(fetched.Documents), "translation"), changed)
	return r
}

// documentsNamed are the records of documents that were named by path or identifier.
func (s *Session) documentsNamed(ctx context.Context, named, languages []string) ([]documents.Document, error) {
	is := func(doc documents.Document, name string) bool {
		id, _ := wire.SplitDocumentID(doc.ID)
		return (doc.ID == name || id == name || transfer.PathOf(doc) == filepath.ToSlash(filepath.Clean(name))) &&
			inLanguages(doc, languages)
	}
	project, err := s.Client.Projects().WithSome(ctx, s.ID, func(doc *documents.Document) bool {
		return slices.ContainsFunc(named, func(name string) bool { return is(*doc, name) })
	})
	if err != nil {
		return nil, err
	}
	var found []documents.Document
	for _, name := range named {
		before := len(found)
		for _, doc := range project.Documents {
			if is(doc, name) {
				found = append(found, doc)
			}
		}
		if len(found) == before {
			return nil, misuse(fmt.Errorf("the project has no document %s; locsync documents list shows those it has", name))
		}
	}
	return found, nil
}

func inLanguages(doc documents.Document, languages []string) bool {
	return len(languages) == 0 || slices.ContainsFunc(languages, func(l string) bool {
		return strings.EqualFold(l, doc.TargetLanguage)
	})
}

func documentsList() *Operation {
	return &Operation{
		Name: "documents list", On: Documents, Document: DocumentList{},
		Short:   "List the documents of a project, and how far they are",
		Example: "  locsync documents list\n  locsync documents list --id $ID --json",
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			project, err := s.Client.Projects().WithDocuments(ctx, s.ID)
			return Listed(DocumentList{append([]documents.Document{}, project.Documents...)},
				"the project has no documents: locsync documents push adds some"), err
		},
	}
}

func documentsShow() *Operation {
	return &Operation{
		Name: "documents show", Args: "DOCUMENT", On: Documents, Least: 1, Most: 1, Wants: "a document",
		Document: DocumentList{},
		Short:    "Show the record of one document: status, words, progress by stage",
		Example:  "  locsync documents show docs/guide.md\n  locsync documents show $DOCUMENT --json",
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			all := []documents.Document{}
			if _, language := wire.SplitDocumentID(args[0]); language != "" && !strings.ContainsAny(args[0], "./") {
				doc, err := documents.Of(s.Client).Read(ctx, args[0])
				return Listed(DocumentList{append(all, doc)}, ""), err
			}
			found, err := s.documentsNamed(ctx, args, nil)
			return Listed(DocumentList{append(all, found...)}, ""), err
		},
	}
}

func documentsDelete() *Operation {
	var languages []string
	return &Operation{
		Name: "documents delete", Args: "DOCUMENT...", On: Documents, Least: 1, Wants: "documents",
		Short:   "Delete documents from the project, with their translations",
		Example: "  locsync documents delete docs/old.md\n  locsync documents delete docs/old.md --language fr",
		Flags:   []Flag{{Name: "language", Usage: "only in these `CODES`", Value: &languages}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			found, err := s.documentsNamed(ctx, args, languages)
			if err != nil {
				return Result{}, err
			}
			var ids, told []string
			for _, doc := range found {
				ids = append(ids, doc.ID)
				told = append(told, fmt.Sprintf("deleted %s (%s)", transfer.PathOf(doc), doc.TargetLanguage))
			}
			err = documents.Of(s.Client).Delete(ctx, ids...)
			return Result{Document: document.Object{"deleted": ids}, Text: Lines(told)}, err
		},
	}
}

func documentsFormats() *Operation {
	return &Operation{
		Name: "documents formats", On: Account, Document: Formats{},
		Short:   "List the kinds of files that the service can take apart",
		Example: "  locsync documents formats\n  locsync documents formats --json",
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			list, err := documents.Of(s.Client).Formats(ctx)
			return Listed(Formats{append([]documents.FileFormat{}, list...)}, "the service names none"), err
		},
	}
}

func documentsStatistics() *Operation {
	exact := false
	return &Operation{
		Name: "documents stats", Args: "DOCUMENT...", On: Documents, Least: 1, Wants: "documents",
		Document: document.Statistics{},
		Short:    "Count words, repetitions and matches of single documents",
		Example:  "  locsync documents stats docs/guide.md\n  locsync documents stats docs/guide.md --exact --json",
		Flags:    []Flag{{Name: "exact", Usage: "leave out fuzzy matches", Value: &exact}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			found, err := s.documentsNamed(ctx, args, nil)
			if err != nil {
				return Result{}, err
			}
			patient, cancel := s.Patient(ctx)
			defer cancel()
			d := document.Statistics{Languages: documents.ProjectStatistics{}}
			for i, doc := range found {
				s.Show(report.Doing{What: "waiting until the service has counted", Done: int64(i), Total: int64(len(found))})
				counted, err := documents.StatisticsOf(s.Client).Document(patient, doc.ID, exact)
				if err != nil {
					return Result{}, err
				}
				counted.Name = cmp.Or(counted.Name, transfer.PathOf(doc))
				of := func(l wire.LanguageStatistics) bool { return l.Language == doc.TargetLanguage }
				at := slices.IndexFunc(d.Languages, of)
				if at < 0 {
					at, d.Languages = len(d.Languages), append(d.Languages, wire.LanguageStatistics{Language: doc.TargetLanguage,
						Statistics: []documents.StatisticsRow{}})
				}
				d.Languages[at].Documents = append(d.Languages[at].Documents, counted)
			}
			return Listed(d, ""), nil
		},
	}
}

// DocumentList are documents of a project.
type DocumentList struct {
	Documents []documents.Document `json:"documents"`
}

// Table is what people see of it.
func (d DocumentList) Table() *terminal.Table {
	rows := terminal.NewTable("PATH", "LANGUAGE", "ID", "STATUS", "WORDS", "PROGRESS")
	rows.Numbers(4)
	for _, doc := range d.Documents {
		var progress []string
		for _, stage := range doc.WorkflowStages {
			progress = append(progress, fmt.Sprintf("%.0f %%", stage.Progress))
		}
		rows.Row(transfer.PathOf(doc), doc.TargetLanguage, doc.ID, string(doc.Status), fmt.Sprintf("%.0f", doc.WordsCount),
			terminal.OrNone(strings.Join(progress, ", ")))
	}
	return rows
}

// Formats are kinds of files.
type Formats struct {
	Formats []documents.FileFormat `json:"formats"`
}

// Table is what people see of it.
func (d Formats) Table() *terminal.Table {
	rows := terminal.NewTable("NAME", "TYPE", "OCR", "ALGORITHM")
	for _, f := range d.Formats {
		rows.Row(f.Name, terminal.OrNone(f.MimeType), fmt.Sprint(f.OCR), terminal.OrNone(f.DisassembleAlgorithmName))
	}
	return rows
}

// readBounded reads a small file that is named on the command line.
func readBounded(path string) ([]byte, error) {
	content, f, err := transfer.Open(path, filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if content.Size > longestInput {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", path, content.Size, longestInput)
	}
	return os.ReadFile(path)
}

// longestInput bounds what is read into memory.
const longestInput = 32 << 20
