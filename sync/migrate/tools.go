package migrate

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var percents = regexp.MustCompile(`%[a-z_]+%`)

func crowdin(f *Found, root *yaml.Node) {
	base := scalar(field(root, "base_path"))
	f.each(root, handlers{
		"files": func(files *yaml.Node) {
			for _, file := range items(files) {
				f.crowdinFiles(file, base)
			}
		},
		"base_path": nil, "preserve_hierarchy": nil,
		"export_languages":  func(n *yaml.Node) { f.Targets = codes(texts(n)) },
		"languages_mapping": "paths are spelled as the files that are there; add others to [project.language_paths]",
		"api_token":         secretly, "api_key": secretly, "api_token_env": secretly, "api_key_env": secretly,
		"project_id": other, "project_id_env": other, "project_identifier": other, "base_url": other, "base_url_env": other,
		"commit_message":        "write pull.commit_message, which has other placeholders",
		"pull_request_title":    "see [project.pull.request]",
		"pull_request_labels":   "see [project.pull.request]",
		"append_commit_message": ofTool,
	})
}

func (f *Found) crowdinFiles(file *yaml.Node, base string) {
	e := Entry{Line: file.Line}
	f.each(file, handlers{
		"source": func(n *yaml.Node) { e.Source = path.Join(base, globbed(scalar(n), percents)) },
		"translation": func(n *yaml.Node) {
			e.Targets = path.Join(base, globbed(scalar(n), percents, "%original_path%"))
		},
		"ignore": func(n *yaml.Node) {
			for _, pattern := range texts(n) {
				e.Exclude = append(e.Exclude, path.Join(base, globbed(pattern, percents)))
			}
		},
		"dest": "collections are named after the files; see collection in [[project.files]]",
		"type": nil, "content_segmentation": nil,
		"languages_mapping":         "paths are spelled as the files that are there; add others to language_paths",
		"labels":                    "write labels in [[project.files]]",
		"update_option":             "see push.conflicts",
		"export_only_approved":      "pull.completion_state = \"final\", the default, pulls approved translations only",
		"skip_untranslated_strings": "pull.incomplete = \"skip\", the default, does this",
		"skip_untranslated_files":   "pull.incomplete = \"skip\", the default, does this",
	})
	f.Entries = append(f.Entries, e)
}

var braces = regexp.MustCompile(`\{[A-Za-z]+\}`)

func tolgee(f *Found, root *yaml.Node) {
	f.each(root, handlers{
		"$schema": nil, "format": nil,
		"push":      func(n *yaml.Node) { f.tolgeePush(n) },
		"pull":      nil, // after push, which says more
		"apiKey":    secretly,
		"projectId": other, "apiUrl": other,
		"patterns":  "locsync does not read source code for keys",
		"extractor": "locsync does not read source code for keys",
		"delimiter": "see path_separator in [[project.files]]",
	})
	pull := field(root, "pull")
	f.each(pull, handlers{
		"path":                  nil,
		"fileStructureTemplate": nil,
		"languages":             func(n *yaml.Node) { f.Targets = codes(texts(n)) },
		"language":              func(n *yaml.Node) { f.Targets = codes(texts(n)) },
		"states":                "see pull.completion_state",
		"namespaces":            "see collection in [[project.files]]",
		"delimiter":             "see path_separator in [[project.files]]",
	})
	folder, template := scalar(field(pull, "path")), scalar(field(pull, "fileStructureTemplate"))
	if folder == "" || template == "" && len(f.Entries) > 0 {
		return // what is pushed says where the files are
	}
	pulled := path.Join(folder, globbed(cmp.Or(template, "**/*"), braces))
	if !slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Targets == pulled }) {
		f.Entries = append(f.Entries, Entry{Line: pull.Line, Targets: pulled})
	}
}

func (f *Found) tolgeePush(push *yaml.Node) {
	f.each(push, handlers{
		"files": func(n *yaml.Node) {
			for _, file := range items(n) {
				f.Entries = append(f.Entries, Entry{Line: file.Line, Targets: scalar(field(file, "path"))})
				f.each(file, handlers{"path": nil, "language": nil,
					"namespace": "collections are named after the files; see collection in [[project.files]]"})
			}
		},
		"filesTemplate": func(n *yaml.Node) {
			for _, template := range texts(n) {
				f.Entries = append(f.Entries, Entry{Line: n.Line, Targets: globbed(template, braces)})
			}
		},
		"languages": func(n *yaml.Node) { f.sourceOf(texts(n)) }, "language": func(n *yaml.Node) { f.sourceOf(texts(n)) },
		"forceMode":                "see push.conflicts",
		"removeOthers":             "locsync never deletes keys at the service",
		"tagNewKeys":               "write labels in [[project.files]]",
		"namespaces":               "see collection in [[project.files]]",
		"convertPlaceholdersToIcu": ofTool,
	})
}

// sourceOf: one language that is pushed is the one that texts are written in.
func (f *Found) sourceOf(pushed []string) {
	if len(pushed) == 1 {
		f.Source = codes(pushed)[0]
	}
}

// lokalise: the file says little besides the project; files are named on the command line of that tool.
func lokalise(f *Found, root *yaml.Node) {
	var read func(n *yaml.Node)
	read = func(n *yaml.Node) {
		f.each(n, handlers{
			"token": secretly, "project-id": other, "project_id": other, "api": other,
			"file": read, "upload": read, "download": read,
			"format": nil, "original-filenames": nil, "unzip-to": nil, "dest": nil, "directory-prefix": nil,
			"bundle-structure": func(n *yaml.Node) {
				prefix := scalar(field(root, "unzip-to"))
				targets := path.Join(prefix, globbed(scalar(n), regexp.MustCompile(`%[A-Z_]+%`)))
				f.Entries = append(f.Entries, Entry{Line: n.Line, Targets: targets})
			},
			"lang-iso":        func(n *yaml.Node) { f.sourceOf(texts(n)) },
			"export-empty-as": "see pull.incomplete",
			"include-tags":    "write labels in [[project.files]]",
			"tags":            "write labels in [[project.files]]",
		})
	}
	read(root)
}

var angles = regexp.MustCompile(`<[a-z_]+>`)

func phrase(f *Found, root *yaml.Node) {
	inside := field(root, "phrase")
	if inside == nil {
		inside = field(root, "phraseapp")
	}
	list := func(name string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			f.each(n, handlers{name: func(n *yaml.Node) {
				for _, file := range items(n) {
					f.phraseFile(file)
				}
			}})
		}
	}
	f.each(root, handlers{"phrase": nil, "phraseapp": nil})
	f.each(inside, handlers{"access_token": secretly, "project_id": other, "host": other, "file_format": nil,
		"per_page": nil, "push": list("sources"), "pull": list("targets"), "locale_mapping": "see [project.language_paths]"})
}

func (f *Found) phraseFile(file *yaml.Node) {
	f.each(file, handlers{
		"file": func(n *yaml.Node) {
			f.Entries = append(f.Entries, Entry{Line: n.Line, Targets: globbed(scalar(n), angles)})
		},
		"access_token": secretly, "project_id": other,
		"params": func(n *yaml.Node) {
			f.each(n, handlers{"file_format": nil, "locale_id": nil, "locale_ids": nil,
				"update_translations":        "see push.conflicts",
				"tag":                        "write labels in [[project.files]]",
				"tags":                       "write labels in [[project.files]]",
				"include_empty_translations": "see pull.incomplete",
				"fallback_locale_id":         "see pull.incomplete"})
		},
	})
}

func transifex(f *Found, root *yaml.Node) {
	const mapped = "paths are spelled as the files that are there; add others to [project.language_paths]"
	for section, settings := range fields(root) {
		if section.Value == "main" {
			f.each(settings, handlers{"host": other, "lang_map": mapped, "type": nil})
			continue
		}
		e := Entry{Line: section.Line}
		f.each(settings, handlers{
			"file_filter":   func(n *yaml.Node) { e.Targets = globbed(scalar(n), angles) },
			"source_file":   func(n *yaml.Node) { e.Source = scalar(n) },
			"source_lang":   func(n *yaml.Node) { f.sourceOf(texts(n)) },
			"type":          nil,
			"resource_name": nil,
			"lang_map":      mapped,
			"minimum_perc":  "locsync pulls each translation that pull.completion_state allows",
			"mode":          "see pull.completion_state",
		})
		f.Entries = append(f.Entries, e)
	}
}

func lingo(f *Found, root *yaml.Node) {
	f.each(root, handlers{
		"$schema": nil, "version": nil,
		"locale": func(n *yaml.Node) {
			f.each(n, handlers{
				"source":      func(n *yaml.Node) { f.sourceOf(texts(n)) },
				"targets":     func(n *yaml.Node) { f.Targets = codes(texts(n)) },
				"extraSource": ofTool,
			})
		},
		"buckets": func(n *yaml.Node) {
			for _, bucket := range fields(n) {
				f.lingoBucket(bucket)
			}
		},
		"provider": "the service translates; the embedded one with engines.json (locsync help translating)",
	})
}

func (f *Found) lingoBucket(bucket *yaml.Node) {
	var excluded []string
	first := len(f.Entries)
	named := func(n *yaml.Node) string {
		if n.Kind == yaml.MappingNode {
			n = field(n, "path")
		}
		return strings.ReplaceAll(scalar(n), "[locale]", "*")
	}
	f.each(bucket, handlers{
		"include": func(n *yaml.Node) {
			for _, item := range items(n) {
				f.Entries = append(f.Entries, Entry{Line: item.Line, Targets: named(item)})
			}
		},
		"exclude": func(n *yaml.Node) {
			for _, item := range items(n) {
				excluded = append(excluded, named(item))
			}
		},
		"lockedKeys":     "see skip_checks and the service: locsync pulls what the service has",
		"lockedPatterns": ofTool,
		"ignoredKeys":    ofTool,
		"injectLocale":   ofTool,
	})
	for i := range f.Entries[first:] {
		f.Entries[first+i].Exclude = append([]string{}, excluded...)
	}
}
