package forgetest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func when(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

// sha is the commit that a forge shows as a request's head.
func (s *Server) sha(r *Request) string {
	if r.State != "open" && s.Kind != "gitea" { // Gitea shows what the branch has now
		return r.Commit
	}
	return s.Tip(r.Head)
}

func showGitHub(s *Server, r *Request) object {
	state, merged := "closed", any(nil)
	if r.State == "open" {
		state = "open"
	}
	if r.State == "merged" {
		merged = when(r.Ended)
	}
	owner, login := "acme", "acme-bot"
	if r.Fork {
		owner = "mallory"
	}
	if s.Login != "" {
		login = s.Login
	}
	repo := func(owner string, id int) object {
		return object{"id": id, "node_id": "MDEwOlJlcG9zaXRvcnkxMjk2MjY5", "name": "app", "full_name": owner + "/app",
			"private": false, "fork": r.Fork, "owner": object{"login": owner, "id": 1, "type": "Organization"},
			"html_url": "https://github.com/" + owner + "/app", "default_branch": "main"}
	}
	labels := []object{}
	for i, l := range r.Labels {
		labels = append(labels, object{"id": 208045946 + i, "node_id": "MDU6TGFiZWwyMDgwNDU5NDY=", "name": l,
			"color": "ededed", "default": false, "description": nil})
	}
	end := func(owner, branch, sha string) object {
		return object{"label": owner + ":" + branch, "ref": branch, "sha": sha, "user": object{"login": owner},
			"repo": repo(owner, 1296269)}
	}
	return object{"url": fmt.Sprintf("https://api.github.com/repos/acme/app/pulls/%d", r.Number), "id": 1000 + r.Number,
		"node_id": "MDExOlB1bGxSZXF1ZXN0MQ==", "html_url": fmt.Sprintf("https://github.com/acme/app/pull/%d", r.Number),
		"number": r.Number, "state": state, "locked": false, "title": r.Title,
		"user": object{"login": login, "id": 2, "type": "Bot"}, "body": r.Body, "labels": labels, "milestone": nil,
		"draft": false, "created_at": when(r.Made), "updated_at": when(r.Made), "closed_at": when(r.Ended),
		"merged_at": merged, "merge_commit_sha": strings.Repeat("e", 40), "head": end(owner, r.Head, s.sha(r)),
		"base": end("acme", r.Base, strings.Repeat("b", 40)), "author_association": "CONTRIBUTOR", "auto_merge": nil,
		"active_lock_reason": nil}
}

func showGitLab(s *Server, r *Request) object {
	state := map[string]string{"open": "opened", "closed": "closed", "merged": "merged"}[r.State]
	source := 3
	if r.Fork {
		source = 99
	}
	o := object{"id": 84 + r.Number, "iid": r.Number, "project_id": 3, "title": r.Title, "description": r.Body,
		"state": state, "created_at": when(r.Made), "updated_at": when(r.Made), "merged_by": nil, "merge_user": nil,
		"merged_at": nil, "closed_by": nil, "closed_at": nil, "target_branch": r.Base, "source_branch": r.Head,
		"user_notes_count": 0, "upvotes": 0, "downvotes": 0,
		"author": object{"id": 1, "username": "acme-bot", "name": "acme-bot", "state": "active"}, "assignees": []object{},
		"assignee": nil, "reviewers": []object{}, "source_project_id": source, "target_project_id": 3,
		"labels": append([]string{}, r.Labels...), "draft": false, "imported": false, "work_in_progress": false,
		"milestone": nil, "merge_when_pipeline_succeeds": false, "merge_status": "can_be_merged",
		"detailed_merge_status": "mergeable", "sha": s.sha(r), "merge_commit_sha": nil, "squash_commit_sha": nil,
		"should_remove_source_branch": nil, "force_remove_source_branch": false, "reference": fmt.Sprintf("!%d", r.Number),
		"references": object{"short": fmt.Sprintf("!%d", r.Number), "full": fmt.Sprintf("acme/app!%d", r.Number)},
		"web_url":    fmt.Sprintf("https://gitlab.example.com/acme/app/-/merge_requests/%d", r.Number), "squash": false,
		"has_conflicts": false, "blocking_discussions_resolved": true}
	switch r.State {
	case "closed":
		o["closed_at"] = when(r.Ended)
	case "merged":
		o["merged_at"] = when(r.Ended)
	}
	return o
}

func showGitea(s *Server, r *Request) object {
	state, merged := "closed", any(nil)
	if r.State == "open" {
		state = "open"
	}
	if r.State == "merged" {
		merged = when(r.Ended)
	}
	head := 31
	if r.Fork {
		head = 77
	}
	labels := []object{}
	for _, l := range r.Labels {
		labels = append(labels, object{"id": 70 + slices.Index(s.Labels, l), "name": l, "color": "00aabb",
			"description": "", "url": "https://gitea.example.com/api/v1/repos/acme/app/labels/1"})
	}
	ref, sha := r.Head, s.sha(r)
	if sha == "" { // the branch is gone
		ref, sha = fmt.Sprintf("refs/pull/%d/head", r.Number), strings.Repeat("d", 40)
	}
	end := func(label, ref, sha string, id int) object {
		return object{"label": label, "ref": ref, "sha": sha, "repo_id": id, "repo": object{"id": id,
			"owner": object{"id": 5, "login": "acme"}, "name": "app", "full_name": "acme/app"}}
	}
	return object{"id": 900 + r.Number, "url": fmt.Sprintf("https://gitea.example.com/acme/app/pulls/%d", r.Number),
		"number": r.Number, "user": object{"id": 5, "login": "acme-bot"}, "title": r.Title, "body": r.Body, "labels": labels,
		"milestone": nil, "assignee": nil, "assignees": nil, "requested_reviewers": nil, "state": state, "draft": false,
		"is_locked": false, "comments": 0, "html_url": fmt.Sprintf("https://gitea.example.com/acme/app/pulls/%d", r.Number),
		"mergeable": true, "merged": r.State == "merged", "merged_at": merged, "merge_commit_sha": nil, "merged_by": nil,
		"allow_maintainer_edit": false, "base": end(r.Base, r.Base, strings.Repeat("b", 40), 31),
		"head": end(r.Head, ref, sha, head), "merge_base": strings.Repeat("b", 40), "due_date": nil,
		"created_at": when(r.Made), "updated_at": when(r.Made), "closed_at": when(r.Ended), "pin_order": 0}
}
