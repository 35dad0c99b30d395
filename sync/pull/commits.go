package pull

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// What a pull brought, as commits: one for all of it, or with pull.commit_per = "language" one for each language, in the order of their codes. However
// many they are, they are one delivery (see gitops.Repo.Chain): they arrive together, and a crash leaves all of them or none.

// tally counts what the merges brought and gathers the files of the delivery. Joined files are part of it, and reason enough to make one: until there is
// one, a merge of the branch into base could conflict in them.
func (r *pulling) tally(joined map[string][]byte, done []*merged) (map[string][]byte, config.CommitData) {
	files := maps.Clone(joined)
	if files == nil {
		files = make(map[string][]byte)
	}
	data := config.CommitData{Project: r.branch.Project.Name}
	languages := make(map[string]bool)
	r.report.Files, r.report.Keys = []report.PulledFile{}, 0
	for _, m := range done {
		if m.former.file != nil { // all that it had stands in the file that takes its place
			files[m.former.path] = nil
			r.report.Files = append(r.report.Files, report.PulledFile{Path: m.former.path, Language: m.Language.Code, Deleted: true})
			data.Files = append(data.Files, m.former.path)
			languages[m.Language.Code] = true
		}
		if m.bytes == nil {
			continue
		}
		files[m.Path] = m.bytes
		r.report.Files = append(r.report.Files, m.counts)
		count(&data, m.counts)
		data.Files = append(data.Files, m.Path)
		languages[m.Language.Code] = true
	}
	if len(data.Files) == 0 { // else they come along
		for _, path := range slices.Sorted(maps.Keys(joined)) {
			r.report.Files = append(r.report.Files, report.PulledFile{Path: path, Language: r.contested[path].Code})
			data.Files = append(data.Files, path)
			languages[r.contested[path].Code] = true
		}
	}
	data.Languages = slices.Sorted(maps.Keys(languages))
	r.report.Keys = data.Keys
	return files, data
}

func count(data *config.CommitData, f report.PulledFile) {
	data.Added, data.Changed, data.Removed = data.Added+f.Added, data.Changed+f.Changed, data.Removed+f.Removed
	data.Keys = data.Added + data.Changed + data.Removed
}

// steps are the commits of a delivery.
func (r *pulling) steps(files map[string][]byte, data config.CommitData, done []*merged) ([]gitops.Step, error) {
	if r.branch.Project.Pull.CommitPer != "language" || len(data.Languages) < 2 {
		step, err := r.step(files, data)
		return []gitops.Step{step}, err
	}
	language := make(map[string]string) // by path
	parts := make(map[string]*config.CommitData)
	part := func(code string) *config.CommitData {
		if parts[code] == nil {
			parts[code] = &config.CommitData{Project: r.branch.Project.Name, Languages: []string{code}}
		}
		return parts[code]
	}
	for _, m := range done {
		if m.former.file != nil {
			language[m.former.path] = m.Language.Code
		}
		if m.bytes != nil {
			language[m.Path] = m.Language.Code
			count(part(m.Language.Code), m.counts)
		}
	}
	apart := make(map[string]map[string][]byte)
	for path, body := range files {
		code, merged := language[path]
		if !merged {
			code = r.contested[path].Code // it came by joining branch and base
		}
		if apart[code] == nil {
			apart[code] = make(map[string][]byte)
		}
		apart[code][path] = body
	}
	var steps []gitops.Step
	for _, code := range slices.Sorted(maps.Keys(apart)) {
		p := part(code)
		p.Files = slices.Sorted(maps.Keys(apart[code]))
		step, err := r.step(apart[code], *p)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// step is one commit, which is not dated yet. The trailer stays last, so that git finds it.
func (r *pulling) step(files map[string][]byte, data config.CommitData) (gitops.Step, error) {
	slices.Sort(data.Files)
	text, err := r.branch.Project.Pull.Message(data)
	if err != nil {
		return gitops.Step{}, &failure.UsageError{Err: fmt.Errorf("pull.commit_message: %w", err)}
	}
	return gitops.Step{Files: files, Message: gitops.Message{
		Text:   fmt.Sprintf("%s\n\n%s: %s\n", text, gitops.Trailer, r.branch.Project.Name),
		Author: gitops.Person{Name: r.branch.Project.Pull.AuthorName, Email: r.branch.Project.Pull.AuthorEmail},
	}}, nil
}
