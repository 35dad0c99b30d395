// Package audit says in words what the audit log of the embedded service notes, and what roles are, for the pages of
// its owners.
//
// Its law: every kind of note has words, and a name that it holds is in them as it is. It stores and decides nothing.
package audit

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

// acts are the kinds of notes as people read them. What the act is about follows.
var acts = map[string]string{
	store.NotedProjectCreated: "Project made",
	store.NotedProjectDeleted: "Project deleted",
	store.NotedImport:         "Texts imported",
	store.NotedKeysDeleted:    "Keys deleted",
	store.NotedKeysArchived:   "Keys archived",
	store.NotedKeysRestored:   "Keys restored",
	store.NotedPerson:         "Account made",
	store.NotedPassword:       "Password changed",
	store.NotedPersonRemoved:  "Person removed",
	store.NotedPersonChanged:  "Roles changed",
	store.NotedInvited:        "Person invited",
	store.NotedRevoked:        "Invitation revoked",
	store.NotedRenamed:        "Name changed",
	store.NotedSignedIn:       "Signed in",
	store.NotedBackup:         "Backup made",
	store.NotedRestored:       "Backup restored",
	store.NotedMoved:          "Service moved",
}

// ofPeople are the acts that are about a person.
var ofPeople = map[string]bool{store.NotedPerson: true, store.NotedPassword: true, store.NotedPersonRemoved: true,
	store.NotedPersonChanged: true, store.NotedInvited: true, store.NotedRevoked: true}

// Words are what a note says. Projects are names by identifiers; one that is gone is named by its identifier.
func Words(in *words.Language, n *store.Note, projects map[string]string) string {
	var of store.Noted
	if json.Unmarshal(n.What, &of) != nil {
		return n.Type
	}
	var about []string
	add := func(has bool, text string) {
		if has {
			about = append(about, text)
		}
	}
	add(of.Name != "", of.Name)
	add(of.Name == "" && ofPeople[n.Type], in.Text("a person who chooses a name"))
	add(of.Manager, in.Text("manager of everything"))
	for _, role := range of.Roles {
		about = append(about, Role(in, role, projects))
	}
	add(of.Made != "", of.Made)
	add(of.Project != "" && of.Name == "", in.Say("Project: %s", cmp.Or(projects[of.Project], of.Project)))
	add(of.Collection != "", in.Say("Collection: %s", of.Collection))
	add(of.Language != "", in.Named(of.Language))
	add(len(of.Files) > 0, in.Say("Files: %s", strings.Join(of.Files, ", ")))
	add(of.Count > 0, in.Say("Keys: %d", of.Count))
	text := strings.Join(append([]string{in.Text(cmp.Or(acts[n.Type], n.Type))}, about...), "; ")
	if len(about) > 0 {
		text = strings.Replace(text, "; ", ": ", 1)
	}
	if len(of.Keys) > 0 {
		text += " (" + strings.Join(of.Keys, ", ") + ")"
	}
	return text
}

// Role is a role in words, with its projects by their names.
func Role(in *words.Language, g store.Grant, projects map[string]string) string {
	role := in.Text(string(g.Role))
	var of, into []string
	for _, id := range g.Projects {
		of = append(of, cmp.Or(projects[id], in.Text("a project that is gone")))
	}
	for _, code := range g.Languages {
		into = append(into, in.Named(code))
	}
	switch {
	case len(of) > 0 && len(into) > 0:
		return in.Say("%s of %s into %s", role, strings.Join(of, ", "), strings.Join(into, ", "))
	case len(of) > 0:
		return in.Say("%s of %s", role, strings.Join(of, ", "))
	case len(into) > 0:
		return in.Say("%s into %s", role, strings.Join(into, ", "))
	}
	return role
}
