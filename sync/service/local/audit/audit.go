// Package audit says in words what the audit log of the embedded service notes, for the page of its owners.
//
// Its law: every kind of note has words, and a name that it holds is in them as it is. It stores and decides nothing.
package audit

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/local/store"
)

// acts are the kinds of notes as people read them after the name of who did it. What the act is about follows.
var acts = map[string]string{
	store.NotedProjectCreated: "made the project",
	store.NotedProjectDeleted: "deleted the project",
	store.NotedImport:         "imported",
	store.NotedKeysDeleted:    "deleted",
	store.NotedKeysArchived:   "archived",
	store.NotedKeysRestored:   "restored",
	store.NotedPerson:         "made the account of",
	store.NotedPassword:       "made a new password for",
	store.NotedPersonRemoved:  "removed",
	store.NotedPersonChanged:  "changed what this person may do:",
	store.NotedInvited:        "invited",
	store.NotedRevoked:        "revoked the invitation of",
	store.NotedRenamed:        "took the name",
	store.NotedSignedIn:       "signed in",
	store.NotedBackup:         "made a backup",
	store.NotedRestored:       "restored a backup",
}

// ofPeople are the acts that are about a person.
var ofPeople = map[string]bool{store.NotedPerson: true, store.NotedPassword: true, store.NotedPersonRemoved: true,
	store.NotedPersonChanged: true, store.NotedInvited: true, store.NotedRevoked: true}

// Words are what a note says. Projects are names by identifiers; one that is gone is named by its identifier.
func Words(n *store.Note, projects map[string]string) string {
	var of store.Noted
	if json.Unmarshal(n.What, &of) != nil {
		return n.Type
	}
	words := []string{cmp.Or(acts[n.Type], n.Type)}
	add := func(text string) {
		if text != "" {
			words = append(words, text)
		}
	}
	if ofPeople[n.Type] {
		of.Name = cmp.Or(of.Name, "a person who chooses a name")
	}
	add(of.Name)
	if of.Manager {
		add("as manager of everything")
	}
	for i, role := range of.Roles {
		add(map[bool]string{true: "as", false: "and"}[i == 0] + " " + grant(role, projects))
	}
	if of.Made != "" {
		add("of " + of.Made)
	}
	if of.Count > 0 {
		add(strconv.Itoa(of.Count) + map[bool]string{true: " key", false: " keys"}[of.Count == 1])
	}
	if len(of.Files) > 0 {
		add("from " + strings.Join(of.Files, ", "))
	}
	if of.Collection != "" {
		add("in " + of.Collection)
	}
	if of.Language != "" {
		add("(" + of.Language + ")")
	}
	if of.Project != "" && of.Name == "" {
		add("of " + cmp.Or(projects[of.Project], of.Project))
	}
	text := strings.Join(words, " ")
	if len(of.Keys) > 0 {
		text += ": " + strings.Join(of.Keys, ", ")
	}
	return text
}

// grant is a role in words.
func grant(g store.Grant, projects map[string]string) string {
	text := string(g.Role)
	for i, id := range g.Projects {
		text += map[bool]string{true: " of ", false: ", "}[i == 0] + cmp.Or(projects[id], id)
	}
	if len(g.Languages) > 0 {
		text += " into " + strings.Join(g.Languages, ", ")
	}
	return text
}
