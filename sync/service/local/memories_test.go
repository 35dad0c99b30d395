package local

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// memory makes a translation memory.
func (s *server) memory(name, source string, targets ...string) string {
	s.t.Helper()
	var id string
	s.post("/v1/translationmemory", fmt.Sprintf(`{"name":%q,"sourceLanguage":%q,"targetLanguages":["%s"]}`, name,
		source,
		strings.Join(targets, `","`))).want(s.t, 201, &id)
	return id
}

// attached gives a project one memory, writable.
func (s *server) attached(project, memory string) {
	s.t.Helper()
	s.post("/v1/project/"+project+"/translationmemories",
		fmt.Sprintf(`[{"id":%q,"matchThreshold":50,"isWritable":true}]`,
			memory)).want(s.t, 204, nil)
}

// units is how many translations into German a memory has.
func (s *server) units(memory string) float64 {
	s.t.Helper()
	var all []wire.Memory
	s.get("/v1/translationmemory?batchSize=100").want(s.t, 200, &all)
	i := slices.IndexFunc(all, func(m wire.Memory) bool { return m.ID == memory })
	if i < 0 {
		s.t.Fatalf("no memory %s in %+v", memory, all)
	}
	return all[i].UnitCountByLanguageID["7"]
}

// pretranslated sets one rule and waits until all documents of the project have been through it.
func (s *server) pretranslated(project, rule string) {
	s.t.Helper()
	s.call("PUT", wire.Prefix+"/v1/project/"+project+"/pretranslation-rules", "application/json",
		strings.NewReader("["+rule+"]")).want(s.t, 204, nil)
	s.untilPretranslated(project)
}

func (s *server) untilPretranslated(project string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var p wire.Project
		s.get("/v1/project/"+project).want(s.t, 200, &p)
		if !slices.ContainsFunc(p.Documents, func(d wire.Document) bool { return !d.PretranslateCompleted }) {
			return
		}
	}
	s.t.Fatal("the pretranslation does not end")
}

// A memory fills when translations are confirmed, not before, and gives them to another document: as they are for the
// very text, and for one that is much the same when the threshold allows.
func TestMemoryFillsAndMatches(t *testing.T) {
	s := serve(t, Options{})
	m := s.memory("tm", "en", "de")
	p := s.documentsProject("de")
	s.attached(p, m)
	id := s.added(p, "", file{"a.txt", "The file was saved to the disk.\nOpen the door.\n"})[0].ID
	german := file{"a.txt", "Die Datei wurde gespeichert.\nÖffne die Tür.\n"}
	s.translated(id, "", german)
	if n := s.units(m); n != 0 {
		t.Errorf("%v units before anything was confirmed", n)
	}
	s.translated(id, "&confirmTranslation=true", german)
	s.translated(id, "&confirmTranslation=true", german)
	if n := s.units(m); n != 2 {
		t.Errorf("%v units, want 2", n)
	}
	other := s.documentsProject("de")
	s.attached(other, m)
	second := s.added(other, "",
		file{"b.txt", "Open the door.\nThe file was saved to the disc.\nSomething else entirely.\n"})[0].ID
	s.pretranslated(other, `{"ruleType":"tM","order":1,"minThreshold":100}`)
	if got := string(s.exportDocuments("",
		second).body); got != "Öffne die Tür.\nThe file was saved to the disc.\nSomething else entirely.\n" {
		t.Errorf("exact: %q", got)
	}
	s.pretranslated(other, `{"ruleType":"TM","order":1,"minThreshold":90}`)
	if got := string(s.exportDocuments("",
		second).body); got != "Öffne die Tür.\nDie Datei wurde gespeichert.\nSomething else entirely.\n" {
		t.Errorf("fuzzy: %q", got)
	}
	if got := string(s.exportDocuments("&mode=confirmed", second).body); strings.Contains(got, "Tür") {
		t.Errorf("a match is confirmed: %q", got)
	}
}

// The same text has one translation for each place; where the neighbours are the same, that place's is found.
func TestMemoryContext(t *testing.T) {
	s := serve(t, Options{})
	m := s.memory("tm", "en", "de")
	p := s.documentsProject("de")
	s.attached(p, m)
	id := s.added(p, "", file{"a.txt", "File.\nOpen.\nClose.\nDoor.\nOpen.\nWindow.\n"})[0].ID
	s.translated(id, "&confirmTranslation=true", file{"a.txt", "Datei.\nÖffnen.\nZu.\nTür.\nOffen.\nFenster.\n"})
	for text, want := range map[string]string{
		"File.\nOpen.\nClose.\n":  "Datei.\nÖffnen.\nZu.\n",
		"Door.\nOpen.\nWindow.\n": "Tür.\nOffen.\nFenster.\n",
		"File.\nOpen.\nOther.\n":  "Datei.\nÖffnen.\nOther.\n",
	} {
		other := s.createWith(map[string]any{"name": text, "sourceLanguage": "en", "targetLanguages": []string{"de"},
			"assignToVendor": false})
		s.attached(other, m)
		d := s.added(other, "", file{"b.txt", text})[0].ID
		s.pretranslated(other, `{"ruleType":"tM","order":1,"minThreshold":100}`)
		if got := string(s.exportDocuments("", d).body); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A text that was changed in one word is found among many others, in memories of any size.
func TestSimilarIsFound(t *testing.T) {
	s := serve(t, Options{})
	id := s.memory("big", "en", "de")
	err := s.s.store.Update(func(tx *store.Tx) error {
		m, err := store.OpenMemory(tx, id)
		if err != nil {
			return err
		}
		for i := range 900 {
			if err := m.Remember(fmt.Sprintf("The quick fox number %d jumps over the lazy dog called %d", i, i*7),
				store.Surroundings{}, "de", fmt.Sprint("T", i), 1); err != nil {
				return err
			}
		}
		if err := m.Flush(); err != nil {
			return err
		}
		for query, want := range map[string]string{
			"The quick fox number 834 jumps over a lazy dog called 5838":        "T834",
			"The quick foxes number 700 jump over the lazy dog called 4900":     "T700",
			"Number 17, the quick fox, jumps over the lazy dog which is called": "",
		} {
			found, err := memory.FindMatch(m, query, store.Surroundings{}, "de", 85)
			if err != nil {
				return err
			}
			if found.Percent < 85 {
				found.Text = ""
			}
			if found.Text != want {
				return fmt.Errorf("%q: %+v, want %q", query, found, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The list is in batches, filtered; empty is a 204.
func TestMemoryList(t *testing.T) {
	s := serve(t, Options{})
	s.get("/v1/translationmemory?batchSize=10").want(t, 204, nil)
	var ids []string
	for i := range 5 {
		ids = append(ids, s.memory(fmt.Sprint("tm ", i), "en", "de", "fr"))
	}
	slices.Sort(ids)
	var seen []string
	for after := ""; ; {
		a := s.get("/v1/translationmemory?batchSize=2" + after)
		if a.status == 204 {
			break
		}
		var batch []wire.Memory
		a.want(t, 200, &batch)
		for _, m := range batch {
			seen = append(seen, m.ID)
		}
		after = "&lastProcessedId=" + seen[len(seen)-1]
	}
	if !slices.Equal(seen, ids) {
		t.Errorf("%v, want %v", seen, ids)
	}
	var some []wire.Memory
	s.get("/v1/translationmemory?batchSize=10&searchName=M%203&sourceLanguage=EN&targetLanguage=fr").want(t, 200, &some)
	if len(some) != 1 || some[0].Name != "tm 3" || some[0].AccountID != testAccount || some[0].SourceLanguage != "en" {
		t.Errorf("%+v", some)
	}
	s.get("/v1/translationmemory?batchSize=10&targetLanguage=es").want(t, 204, nil)
	check(t, s.get("/v1/translationmemory?batchSize=101"), 400, "batchSize")
	check(t, s.get("/v1/translationmemory?batchSize=0"), 400, "batchSize")
	check(t, s.get("/v1/translationmemory?batchSize=5&sourceLanguage=xx"), 400, "sourceLanguage")
}

// The list that a project is given is the whole list; what is wrong with it is named and changes nothing.
func TestAttachMemories(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	a, b, american, foreign := s.memory("a", "en", "de"), s.memory("b", "en", "fr",
		"de"), s.memory("c", "en-US", "de-AT"),
		s.memory("d", "fr", "de")
	path := "/v1/project/" + p + "/translationmemories"
	s.post(path, `[{"id":"`+a+`","matchThreshold":75,"isWritable":true},{"id":"`+b+
		`","matchThreshold":50,"isWritable":false}]`).want(t, 204, nil)
	for name, c := range map[string]struct{ body, field string }{
		"two writable": {`[{"id":"` + a + `","isWritable":true},{"id":"` + b + `","isWritable":true}]`,
			"isWritable"},
		"threshold too low":       {`[{"id":"` + a + `","matchThreshold":49}]`, "matchThreshold"},
		"a threshold in between":  {`[{"id":"` + a + `","matchThreshold":75.5}]`, "matchThreshold"},
		"threshold too high":      {`[{"id":"` + a + `","matchThreshold":101}]`, "matchThreshold"},
		"twice":                   {`[{"id":"` + a + `"},{"id":"` + a + `"}]`, "id"},
		"another source language": {`[{"id":"` + foreign + `"}]`, "id"},
		"no identifier":           {`[{"matchThreshold":70}]`, "id"},
		"no array":                {`{"id":"` + a + `"}`, "body"},
		"a word for a number":     {`[{"id":"` + a + `","matchThreshold":"high"}]`, "matchThreshold"},
	} {
		t.Run(name, func(t *testing.T) { check(t, s.post(path, c.body), 400, c.field) })
	}
	check(t, s.post(path, `[{"id":"0a0a0a0a-0000-4000-8000-0000000000aa"}]`), 404, "id")
	var have []wire.ProjectMemory
	s.get(path).want(t, 200, &have)
	if len(have) != 2 || have[0].ID != a || have[0].MatchThreshold != 75 || !have[0].IsWritable || have[1].IsWritable ||
		have[0].TargetLanguageID != nil {
		t.Errorf("%+v", have)
	}
	s.post(path, `[{"id":"`+american+`","matchThreshold":60}]`).want(t, 204, nil)
	check(t, s.post(path+"?onlyExactSourceLanguageMatch=true", `[{"id":"`+american+`"}]`), 400, "id")
	s.get(path).want(t, 200, &have)
	if len(have) != 1 || have[0].ID != american {
		t.Errorf("the list was not replaced: %+v", have)
	}
	s.post(path+"/bylanguages", `[{"language":"fr","translationMemories":[{"id":"`+b+
		`","matchThreshold":50,"isWritable":true}]},{"language":"de","translationMemories":[{"id":"`+a+
		`","isWritable":true}]}]`).want(t, 204, nil)
	s.get(path).want(t, 200, &have)
	if len(have) != 2 || have[0].TargetLanguageID == nil || *have[0].TargetLanguageID != 12 {
		t.Errorf("%+v", have)
	}
	check(t, s.post(path+"/bylanguages", `[{"language":"es","translationMemories":[]}]`), 400, "language")
	s.call("DELETE", wire.Prefix+"/v1/translationmemory/"+a, "", nil).want(t, 204, nil)
	s.get(path).want(t, 200, &have)
	if len(have) != 1 {
		t.Errorf("a deleted memory is still attached: %+v", have)
	}
}

// Memories of other accounts are forbidden.
func TestMemoriesOfOthers(t *testing.T) {
	dir := t.TempDir()
	id := ""
	t.Run("one", func(t *testing.T) { id = serveIn(t, dir, Options{}).memory("tm", "en", "de") })
	t.Run("other", func(t *testing.T) {
		s := serveIn(t, dir, Options{AccountID: "other"})
		s.get("/v1/translationmemory?batchSize=10").want(t, 204, nil)
		p := s.documentsProject("de")
		check(t, s.post("/v1/project/"+p+"/translationmemories", `[{"id":"`+id+`"}]`), 403, "id")
		check(t, s.get("/v1/translationmemory/"+id+"/file"), 403, "memoryId")
		check(t, s.sendParts("POST", "/v1/translationmemory/"+id, "", "", file{"a.tmx", "<tmx/>"}), 403, "memoryId")
		check(t, s.get("/v1/translationmemory/0a0a0a0a-0000-4000-8000-0000000000aa/file"), 404, "memoryId")
	})
}

// What a TMX file brings in comes out again; a broken one changes nothing, even when it should have replaced
// everything.
func TestTMX(t *testing.T) {
	s := serve(t, Options{})
	id := s.memory("tm", "en", "de")
	tmx := `<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-US"><seg>Tom &amp; <bpt i="1">x</bpt>Jerry</seg></tuv><tuv xml:lang="DE"><seg>Tom und Jerry</seg></tuv><tuv xml:lang="ja"><seg>x</seg></tuv></tu>
<tu><tuv lang="en"><seg>One</seg></tuv><tuv lang="de"><seg>Eins</seg></tuv></tu>
<tu><tuv lang="fr"><seg>Un</seg></tuv><tuv lang="de"><seg>Eins</seg></tuv></tu></body></tmx>`
	bring := func(q, body string) reply {
		return s.sendParts("POST", "/v1/translationmemory/"+id+q, "", "", file{"a.tmx", body})
	}
	bring("", tmx).want(t, 204, nil)
	if n := s.units(id); n != 2 {
		t.Errorf("%v units", n)
	}
	first := string(s.get("/v1/translationmemory/" + id + "/file?exportMode=tmxDefault&withTags=true").body)
	if !strings.Contains(first, "<seg>Tom &amp; Jerry</seg>") ||
		!strings.Contains(first, `<tuv xml:lang="de"><seg>Eins</seg></tuv>`) {
		t.Errorf("%s", first)
	}
	for name, c := range map[string]struct{ body, field string }{
		"cut":    {tmx[:200], "tmxFile"},
		"no tmx": {"<html></html>", "tmxFile"},
		"empty":  {" ", "tmxFile"},
	} {
		t.Run(name, func(t *testing.T) { check(t, bring("?replaceAllContent=true", c.body), 400, c.field) })
	}
	bring("?replaceAllContent=true", first).want(t, 204, nil)
	if again := string(s.get("/v1/translationmemory/" + id + "/file").body); again != first {
		t.Errorf("%s\nbecame\n%s", first, again)
	}
	check(t, s.get("/v1/translationmemory/"+id+"/file?exportMode=pdf"), 400, "exportMode")
}

func TestNewMemoryRefusals(t *testing.T) {
	s := serve(t, Options{})
	for field, body := range map[string]string{
		"name": `{"sourceLanguage":"en","targetLanguages":["de"]}`, "sourceLanguage": `{"name":"a","targetLanguages":["de"]}`,
		"targetLanguages": `{"name":"a","sourceLanguage":"en","targetLanguages":["xx"]}`, "body": `[]`,
	} {
		t.Run(field, func(t *testing.T) { check(t, s.post("/v1/translationmemory", body), 400, field) })
	}
}

// Rules are followed in their order, and confirm where they say; the machine translates what is left. Every new
// document goes through them.
func TestPretranslation(t *testing.T) {
	s := serve(t, Options{})
	m := s.memory("tm", "en", "de")
	p := s.documentsProject("de")
	s.attached(p, m)
	id := s.added(p, "", file{"a.txt", "Open.\n"})[0].ID
	s.translated(id, "&confirmTranslation=true", file{"a.txt", "Öffnen.\n"})
	s.post("/v1/project/"+p+"/mt", `[{"id":"engine:Pseudo","languages":["de"]}]`).want(t, 204, nil)
	var record wire.Project
	s.get("/v1/project/"+p).want(t, 200, &record)
	s.pretranslated(p,
		`{"ruleType":"MT","order":2},{"ruleType":"tM","order":1,"minThreshold":100,"confirmAtWorkflowStep":"`+
			record.WorkflowStages[0].ID+`"}`)
	second := s.added(p, "", file{"b.md", "Open.\n\nSee [the door](door/a.md).\n"})[0].ID
	s.untilPretranslated(p)
	if got := string(s.exportDocuments("", second).body); got != "Öffnen.\n\n[de Šéé [ţĥé ðööŕ](door/a.md).]\n" &&
		got != "Öffnen.\n\n[de Šéé [ţĥé đööŕ](door/a.md).]\n" {
		t.Errorf("%q", got)
	}
	if got := string(s.exportDocuments("&mode=confirmed", second).body); !strings.HasPrefix(got, "Öffnen.\n\nSee") {
		t.Errorf("%q", got)
	}
	var rules []wire.PretranslationRule
	s.get("/v1/project/"+p+"/pretranslation-rules").want(t, 200, &rules)
	if len(rules) != 2 || rules[0].RuleType != wire.RuleMemory || rules[0].MinThreshold == nil ||
		*rules[0].MinThreshold != 100 {
		t.Errorf("%+v", rules)
	}
	for field, body := range map[string]string{
		"ruleType": `[{"ruleType":"magic","order":1}]`, "order": `[{"ruleType":"tM"}]`,
		"confirmAtWorkflowStep": `[{"ruleType":"tM","order":1,"confirmAtWorkflowStep":"x"}]`,
		"minThreshold":          `[{"ruleType":"tM","order":1,"minThreshold":10}]`, "body": `{}`,
	} {
		t.Run(field, func(t *testing.T) {
			check(t, s.post("/v1/project/"+p+"/pretranslation-rules", body), 400, field)
		})
	}
	check(t, s.post("/v1/project/"+p+"/pretranslation-rules",
		`[{"ruleType":"tM","order":1,"translationMemoryId":"x"}]`),
		404, "translationMemoryId")
}

// A project can be made with its memory, its engine and its rules.
func TestProjectWithEquipment(t *testing.T) {
	s := serve(t, Options{})
	model := `{"name":"p","sourceLanguage":"en","targetLanguages":["de"],"assignToVendor":false,"useMT":true,"pretranslate":true,"useTranslationMemory":true,"translationMemoryName":"mine"}`
	var p wire.Project
	s.sendParts("POST", "/v1/project/create", wire.PartModel, model, file{"a.txt", "One two.\n"}).want(t, 200, &p)
	s.untilPretranslated(p.ID)
	if got := string(s.exportDocuments("", p.Documents[0].ID).body); got != "[de Öñé ţŵö.]\n" {
		t.Errorf("%q", got)
	}
	var memories []wire.Memory
	s.get("/v1/translationmemory?batchSize=10").want(t, 200, &memories)
	if len(memories) != 1 || memories[0].Name != "mine" || !memories[0].IsAutomaticallyCreated {
		t.Errorf("%+v", memories)
	}
}

// With pseudo-translation on, every document has translations that even a default export of completed ones has, and
// memories stay clean of them.
func TestPseudoDocuments(t *testing.T) {
	s := serve(t, Options{Pseudo: true})
	m := s.memory("tm", "en", "de")
	p := s.documentsProject("de")
	s.attached(p, m)
	id := s.added(p, "", file{"a.html", "<p>One <b>two</b> &amp; three.</p>"})[0].ID
	if got := string(s.exportDocuments("&mode=complete", id).body); got != "<p>[de Öñé <b>ţŵö</b> &amp; ţĥŕéé.]</p>" {
		t.Errorf("%q", got)
	}
	if n := s.units(m); n != 0 {
		t.Errorf("%v units", n)
	}
}

func TestEngines(t *testing.T) {
	s := serve(t, Options{})
	p := s.documentsProject("de", "fr")
	path := "/v1/project/" + p + "/mt"
	body := string(s.get(path + "/available").body)
	for _, want := range []string{`"Id":"engine:Pseudo"`, `"id":"engine:Pseudo"`, `"Languages":["de","fr"]`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
	sameJSON(t, string(s.get(path).body), `[]`)
	s.post(path, `[{"Id":"engine:Pseudo","Languages":["DE"]}]`).want(t, 204, nil)
	sameJSON(t, string(s.get(path).body), `[{"id":"engine:Pseudo","name":"Pseudo-translation","languages":["de"]}]`)
	for name, c := range map[string]struct{ body, field string }{
		"unknown engine":         {`[{"id":"engine:Oracle","languages":["de"]}]`, "id"},
		"no languages":           {`[{"id":"engine:Pseudo"}]`, "languages"},
		"language of no project": {`[{"id":"engine:Pseudo","languages":["es"]}]`, "languages"},
		"unknown language":       {`[{"id":"engine:Pseudo","languages":["xx"]}]`, "languages"},
		"two engines": {`[{"id":"engine:Pseudo","languages":["de"]},{"id":"engine:Pseudo","languages":["de"]}]`,
			"languages"},
		"no array": {`{}`, "body"},
	} {
		t.Run(name, func(t *testing.T) { check(t, s.post(path, c.body), 400, c.field) })
	}
	sameJSON(t, string(s.get(path).body), `[{"id":"engine:Pseudo","name":"Pseudo-translation","languages":["de"]}]`)
}

// BenchmarkMatch looks for a text that is much like one of a memory, among as many as it says.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{1000, 500_000} {
		b.Run(fmt.Sprintf("units=%d", n), func(b *testing.B) {
			if n > 1000 && testing.Short() {
				b.Skip("a big memory")
			}
			s, err := Open(b.TempDir(), Options{AccountID: testAccount})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			s.store.SetDurable(false)
			err = s.store.Update(func(tx *store.Tx) error {
				m, err := store.CreateMemory(tx, store.MemoryRecord{ID: "m", Source: "en", Targets: []string{"de"}})
				for i := 0; i < n && err == nil; i++ {
					err = m.Remember(fmt.Sprintf("The text number %d of the product is about %x and section %d", i,
						i*2654435761,
						i%97), store.Surroundings{}, "de", "T", 1)
				}
				if err != nil {
					return err
				}
				return m.Flush()
			})
			if err != nil {
				b.Fatal(err)
			}
			err = s.store.View(func(tx *store.Tx) error {
				m, err := store.OpenMemory(tx, "m")
				if err != nil {
					return err
				}
				for b.Loop() {
					found, err := memory.FindMatch(m,
						"The text number 700 of the products is about something and section 21",
						store.Surroundings{}, "de", 50)
					if err != nil || found.Percent < 50 {
						return fmt.Errorf("%+v %v", found, err)
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
