package migrate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// What a setting says that is carried over; of any other its meaning is why it is not.
const (
	nothing      = "nothing"       // it needs no counterpart
	inside       = "inside"        // a mapping of settings, or a list of such
	named        = "named"         // a mapping of such mappings under names of the user's
	base         = "base"          // the folder that the patterns beside it and below are relative to
	source       = "source"        // a pattern of source files
	translations = "translations"  // templates of the translations
	ignored      = "ignored"       // patterns of files that are not meant
	spellings    = "spellings"     // how paths spell languages
	sourceIn     = "source in"     // the language of the source files
	translatedTo = "translated to" // the other languages
	address      = "url"           // of the service, and
	account      = "account-id"    // the account and
	project      = "project-id"    // the project there: flags of locsync init

	ofTool   = "locsync has no such setting"
	secretly = "a secret of the other service; store that of yours with locsync login, or set LOCSYNC_API_KEY"
	other    = "it is about the other service; set url, account_id and id to those of yours"
	labels   = "write labels in [[project.files]]"
	byFile   = "collections are named after the files; see collection in [[project.files]]"
)

// tool is a localization tool whose configuration can be read.
type tool struct {
	name     string
	files    []string            // where its configuration is, the usual one first
	server   string              // address of the service, of a program of the service itself, where its file has none
	settings map[string][]string // by meaning: names, also with the name of what they are in
	requires []string            // settings that its configuration always has
}

var tools = []tool{
	{name: "Crowdin", files: []string{"crowdin.yml", "crowdin.yaml", ".crowdin.yml", ".crowdin.yaml"},
		settings: map[string][]string{
			inside: {"files"}, base: {"base_path"}, source: {"files.source"}, translations: {"files.translation"},
			ignored: {"files.ignore"}, spellings: {"languages_mapping"}, translatedTo: {"export_languages"},
			nothing: {"preserve_hierarchy", "files.type", "files.content_segmentation"}, labels: {"files.labels"},
			secretly: {"api_token", "api_key", "api_token_env", "api_key_env"},
			other:    {"project_id", "project_id_env", "project_identifier", "base_url", "base_url_env"},
			byFile:   {"files.dest"},
			"write pull.commit_message, which has other placeholders": {"commit_message"},
			"see [project.pull.request]":                              {"pull_request_title", "pull_request_labels"},
			"see push.conflicts":                                      {"files.update_option"},
			"pull.completion_state = \"final\", the default, pulls approved translations only": {"files.export_only_approved"},
			"pull.incomplete = \"skip\", the default, does this": {"files.skip_untranslated_strings",
				"files.skip_untranslated_files"}}},
	{name: "Tolgee", files: []string{".tolgeerc", ".tolgeerc.json", ".tolgeerc.yml", ".tolgeerc.yaml", ".config/tolgeerc",
		".config/tolgeerc.json"},
		settings: map[string][]string{
			inside: {"push", "pull", "files"}, base: {"pull.path"}, sourceIn: {"push.languages", "push.language"},
			translations: {"files.path", "push.filesTemplate", "pull.fileStructureTemplate"},
			translatedTo: {"pull.languages", "pull.language"}, nothing: {"$schema", "format", "files.language"},
			secretly: {"apiKey"}, other: {"projectId", "apiUrl"}, byFile: {"files.namespace"}, labels: {"push.tagNewKeys"},
			"locsync does not read source code for keys": {"patterns", "extractor"},
			"see path_separator in [[project.files]]":    {"delimiter"},
			"see pull.completion_state":                  {"pull.states"},
			"see collection in [[project.files]]":        {"namespaces"},
			"see push.conflicts":                         {"push.forceMode"},
			"locsync never deletes keys at the service":  {"push.removeOthers"}}},
	// The file says little besides the project; files are named on the command line of that tool.
	{name: "Lokalise", files: []string{"lokalise2.yml", "lokalise2.yaml", "lokalise.yml"},
		settings: map[string][]string{
			inside: {"file", "upload", "download"}, base: {"unzip-to"}, translations: {"bundle-structure"},
			sourceIn: {"lang-iso"}, nothing: {"format", "original-filenames", "dest", "directory-prefix"},
			secretly: {"token"}, other: {"project-id", "project_id", "api"}, labels: {"include-tags", "tags"},
			"see pull.incomplete": {"export-empty-as"}}},
	{name: "Phrase", files: []string{".phrase.yml", ".phrase.yaml", ".phraseapp.yml"},
		settings: map[string][]string{
			inside: {"phrase", "phraseapp", "push", "pull", "sources", "targets", "params"}, translations: {"file"},
			nothing: {"file_format", "per_page", "locale_id", "locale_ids"}, secretly: {"access_token"},
			other: {"project_id", "host"}, labels: {"tag", "tags"},
			"see [project.language_paths]": {"locale_mapping"},
			"see push.conflicts":           {"update_translations"},
			"see pull.incomplete":          {"include_empty_translations", "fallback_locale_id"}}},
	{name: "Transifex", files: []string{".tx/config"},
		settings: map[string][]string{
			named: {"sections"}, source: {"source_file"}, translations: {"file_filter"}, sourceIn: {"source_lang"},
			spellings: {"lang_map"}, nothing: {"type", "resource_name"}, other: {"host"},
			"locsync pulls each translation that pull.completion_state allows": {"minimum_perc"},
			"see pull.completion_state":                                        {"mode"}}},
	{name: "Lingo.dev", files: []string{"i18n.json", "i18n.config", "i18n.config.json"},
		requires: []string{"buckets", "locale"},
		settings: map[string][]string{
			inside: {"locale"}, named: {"buckets"}, translations: {"include"}, ignored: {"exclude"},
			sourceIn: {"locale.source"}, translatedTo: {"locale.targets"}, nothing: {"$schema", "version"},
			"the service translates; the embedded one with engines.json (locsync help translating)": {"provider"},
			"see skip_checks and the service: locsync pulls what the service has":                   {"lockedKeys"}}},
	// The file says nothing but the project; files are named on the command line of that program.
	{name: "Smartcat", files: []string{".smartcat"}, server: "https://smartcat.com",
		settings: map[string][]string{address: {"Server"}, account: {"Workspace"}, project: {"Project"},
			"the API key, which is never written into locsync.toml; store it with locsync login, or set " +
				"LOCSYNC_API_KEY": {"ApiToken"}}},
}

// meaning is what a setting says; parent is the name of what it is in.
func (t tool) meaning(parent, name string) string {
	for _, key := range []string{parent + "." + name, name} {
		for meaning, names := range t.settings {
			if slices.Contains(names, key) {
				return meaning
			}
		}
	}
	return ofTool
}

// placeholder is one of any of the tools.
var placeholder = regexp.MustCompile(`%[A-Za-z_]+%|\{[A-Za-z]+\}|<[a-z_]+>|\[locale\]`)

// placeholders are those that ours can say; {PATH} is the folder of the source file.
var placeholders = map[string]string{
	"%two_letters_code%": "{LANGUAGE}", "%three_letters_code%": "{LANGUAGE}", "%locale%": "{LANGUAGE}",
	"%locale_with_underscore%": "{LANGUAGE}", "%language%": "{LANGUAGE}", "%language_id%": "{LANGUAGE}",
	"%android_code%": "{LOCALE:ANDROID}", "%osx_locale%": "{LOCALE:IOS}", "%osx_code%": "{LOCALE:IOS}.lproj",
	"%file_name%": "{NAME}", "%file_extension%": "{EXT}", "%original_file_name%": "{NAME}.{EXT}",
	"%original_path%": "{PATH}", "%LANG_ISO%": "{LANGUAGE}", "{languageTag}": "{LANGUAGE}",
	"{snakeLanguageTag}": "{LANGUAGE}", "{androidLanguageTag}": "{LOCALE:ANDROID}", "{appleLanguageTag}": "{LOCALE:IOS}",
	"{namespace}": "{NAME}", "<locale_name>": "{LANGUAGE}", "<locale_code>": "{LANGUAGE}", "<lang>": "{LANGUAGE}",
	"[locale]": "{LANGUAGE}"}

// output makes a template of ours of another tool's; "" where it has a placeholder that we have no counterpart for, or
// no language. The folders of platforms have placeholders of their own.
func output(template string) string {
	if strings.Contains(path.Dir(template), "{namespace}") {
		return "" // whose source files are known by the name of a folder
	}
	known := true
	made := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		ours, is := placeholders[found]
		known = known && is
		return ours
	})
	folder, name := path.Split(strings.ReplaceAll(made, "**", "{DIR}"))
	if strings.HasPrefix(name, "*.") {
		name = "{NAME}" + name[1:]
	}
	made = strings.NewReplacer("values-{LANGUAGE}/", "values-{LOCALE:ANDROID}/", "{LANGUAGE}.lproj", "{LOCALE:IOS}.lproj").
		Replace(folder + name)
	if !known || !strings.Contains(made, "{L") || strings.ContainsAny(made, "*?") {
		return ""
	}
	if _, rest, is := strings.Cut(made, "{PATH}"); is { // which begins at the tree's root
		return "{PATH}" + rest
	}
	return made
}

// below is the path or pattern in a folder of the tree. None leads out of it.
func below(folder, pattern string) string {
	return strings.TrimPrefix(path.Join("/", folder, pattern), "/")
}

// globbed makes a pattern of a template: a folder may hold slashes, all other placeholders are a part of a name.
func globbed(template string) string {
	return placeholder.ReplaceAllString(strings.ReplaceAll(template, "%original_path%", "**"), "*")
}

// language is a pattern for the spellings of languages, which a name without one does not match.
const language = "{[a-z][a-z],[a-z][a-z][a-z],[a-z][a-z][-_]*}"

// leaving makes a pattern of a template for files that are left out.
func leaving(template string) string {
	folder, name := path.Split(template)
	return globbed(folder + placeholder.ReplaceAllStringFunc(name, func(found string) string {
		if strings.HasPrefix(placeholders[found], "{L") {
			return language
		}
		return found
	}))
}

// once is a template in which any folders are said once: **/** is **.
func once(template string) string {
	for strings.Contains(template, "**/**/") {
		template = strings.ReplaceAll(template, "**/**/", "**/")
	}
	return template
}

// reader reads the settings of one file.
type reader struct {
	tool
	found     Found
	folder    string       // that settings name, where no template does
	spellings []*yaml.Node // of all files
}

// mapping reads the settings of a mapping. Those of files in it make entries.
func (r *reader) mapping(name string, m *yaml.Node, folder string) {
	for key, value := range fields(m) {
		if r.meaning(name, key.Value) == base && scalar(value) != "" {
			folder = path.Join(folder, scalar(value))
			r.folder = folder
		}
	}
	var files Entry
	var templates, spelled []*yaml.Node
	for key, value := range fields(m) {
		switch meaning := r.meaning(name, key.Value); meaning {
		case nothing, base:
		case inside:
			for _, item := range items(value) {
				r.mapping(key.Value, item, folder)
			}
		case named:
			for _, item := range fields(value) {
				r.mapping(key.Value, item, folder)
			}
		case source:
			files.Source = below(folder, globbed(once(scalar(value))))
			if path.Ext(files.Source) == "" { // a folder
				files.Source = below(files.Source, "*")
			}
		case translations:
			templates = append(templates, items(value)...)
		case ignored:
			for _, item := range items(value) {
				files.Exclude = append(files.Exclude, below(folder, leaving(scalar(item))))
			}
		case spellings:
			spelled = append(spelled, value)
		case sourceIn:
			if in := texts(value); len(in) == 1 {
				r.found.Source = code(in[0])
			}
		case translatedTo:
			r.found.Targets = nil
			for _, text := range texts(value) {
				r.found.Targets = append(r.found.Targets, code(text))
			}
		case address, account, project:
			if r.found.Answers == nil {
				r.found.Answers = make(map[string]Answer)
			}
			if text := scalar(value); text != "" {
				r.found.Answers[meaning] = Answer{key.Line, key.Value, text}
			} else {
				r.found.Notes = append(r.found.Notes, Note{key.Line, key.Value, "it has no text"})
			}
		default:
			r.found.Notes = append(r.found.Notes, Note{key.Line, key.Value, meaning})
		}
	}
	if len(templates) == 0 && files.Source == "" {
		r.spellings = append(r.spellings, spelled...)
		return
	}
	if len(templates) == 0 {
		templates = []*yaml.Node{{Kind: yaml.ScalarNode}}
	}
	for _, template := range templates {
		e := Entry{Line: template.Line, Source: files.Source, Exclude: slices.Clone(files.Exclude),
			template: once(scalar(template))}
		if e.Source != "" {
			e.Line = m.Line
		}
		if e.template != "" {
			e.Targets = below(folder, globbed(e.template))
			e.Output = output(below(folder, e.template))
		}
		switch {
		case strings.Contains(e.template, "%locale%"):
			e.Region = "-"
		case strings.Contains(e.template, "%locale_with_underscore%"):
			e.Region = "_"
		}
		for _, mapping := range spelled {
			e.spell(mapping)
		}
		same := func(other Entry) bool { return other.Targets == e.Targets && other.Source == e.Source }
		if !slices.ContainsFunc(r.found.Entries, same) { // a pull names the same files as a push
			r.found.Entries = append(r.found.Entries, e)
		}
	}
}

// spell takes over how paths spell languages, where that is not known yet: by placeholder and language, by language
// alone, or in a text such as "de_DE: de, pt_BR: pt".
func (e *Entry) spell(mapping *yaml.Node) {
	set := func(language, spelling string) {
		if language = code(strings.TrimSpace(language)); spelling == "" || e.Spelled[language] != "" {
			return
		}
		if e.Spelled == nil {
			e.Spelled = make(map[string]string)
		}
		e.Spelled[language] = strings.TrimSpace(spelling)
	}
	for pair := range strings.SplitSeq(scalar(mapping), ",") {
		language, spelling, _ := strings.Cut(pair, ":")
		set(language, spelling)
	}
	for key, value := range fields(mapping) {
		set(key.Value, scalar(value))
		if strings.Contains(e.template, "%"+key.Value+"%") {
			for language, spelling := range fields(value) {
				set(language.Value, scalar(spelling))
			}
		}
	}
}

// code is a language as a configuration of ours has it.
func code(text string) string { return strings.ReplaceAll(text, "_", "-") }

// fields are the settings of a mapping.
func fields(mapping *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		mapping = resolved(mapping)
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], resolved(mapping.Content[i+1])) {
				return
			}
		}
	}
}

func resolved(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// scalar is a text, also the path of a mapping that names files; "" of what is none.
func scalar(n *yaml.Node) string {
	for key, value := range fields(n) {
		if key.Value == "path" {
			n = value
		}
	}
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// items are the elements of a list; one value is a list of one.
func items(n *yaml.Node) (all []*yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	for _, item := range n.Content {
		all = append(all, resolved(item))
	}
	return all
}

func texts(n *yaml.Node) (all []string) {
	for _, item := range items(n) {
		if text := scalar(item); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// sections reads sections and the settings in them, of a file without quotes or lists.
func sections(data []byte) (*yaml.Node, error) {
	all := &yaml.Node{Kind: yaml.MappingNode}
	section := all
	add := func(to *yaml.Node, key string, value *yaml.Node) {
		to.Content = append(to.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: value.Line}, value)
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(text)
		key, value, is := strings.Cut(text, "=")
		switch name, ok := strings.CutPrefix(text, "["); {
		case text == "", text[0] == '#', text[0] == ';':
		case ok && strings.HasSuffix(name, "]"):
			section = &yaml.Node{Kind: yaml.MappingNode, Line: line}
			add(all, name[:len(name)-1], section)
		case is && section != all:
			add(section, strings.TrimSpace(key), &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(value), Line: line})
		default:
			return nil, fmt.Errorf("line %d: neither a section nor a setting of one", line)
		}
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	add(root, "sections", all)
	return root, nil
}
