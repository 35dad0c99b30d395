package forgetest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// other is a forge whose interface has nothing of GitHub's.
type other struct {
	root          string // of the list of requests
	authorization string
	unauthorized  answer
	list          func(s *Server, r *http.Request) answer
	exists        func(there *Request, c changed) answer
	show          func(s *Server, r *Request) object
}

// changed is the body of a call that makes or changes a request, as either forge has it.
type changed struct {
	Title, Description string
	Version            int
	Source             struct{ Branch struct{ Name string } } // Cloud
	Destination        struct{ Branch struct{ Name string } }
	FromRef, ToRef     struct{ ID string } // Data Center
	SourceRefName      string              // Azure DevOps
	TargetRefName      string
	Labels             []struct{ Name string }
	Name               string // of a label
}

func (c changed) branches() (head, base string) {
	branch := func(names ...string) string { return strings.TrimPrefix(strings.Join(names, ""), "refs/heads/") }
	return branch(c.Source.Branch.Name, c.FromRef.ID, c.SourceRefName),
		branch(c.Destination.Branch.Name, c.ToRef.ID, c.TargetRefName)
}

const (
	bitbucketCloud      = "bitbucket-cloud"
	bitbucketDataCenter = "bitbucket"
	azureDevOps         = "azure"
)

// Kinds are all that New serves. Two are one kind for a client.
var Kinds = []string{"github", "gitlab", "gitea", bitbucketDataCenter, bitbucketCloud, azureDevOps}

var others = map[string]other{
	bitbucketCloud: {
		root: "/2.0/repositories/acme/app/pullrequests", authorization: "Bearer " + Token, list: listCloud, show: showCloud,
		unauthorized: answer{status: 401, body: object{"type": "error",
			"error": object{"message": "Token is invalid, expired, or not supported for this endpoint."}}},
	},
	bitbucketDataCenter: {
		root: "/rest/api/1.0/projects/acme/repos/app/pull-requests", authorization: "Bearer " + Token,
		list: listDataCenter, show: showDataCenter,
		unauthorized: answer{status: 401, body: dataCenterError(
			"Authentication failed. Please check your credentials and try again.",
			"com.atlassian.bitbucket.auth.IncorrectPasswordAuthenticationException")},
		exists: func(*Request, changed) answer {
			return answer{status: 409, body: dataCenterError(
				"Only one pull request may be open for a given source and target branch",
				"com.atlassian.bitbucket.pull.DuplicatePullRequestException")}
		},
	},
	azureDevOps: {
		root:          "/acme/_apis/git/repositories/app/pullrequests",
		authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+Token)), list: listAzure, show: showAzure,
		unauthorized: answer{status: http.StatusNonAuthoritativeInfo, body: "<html>Sign In</html>"},
		exists: func(*Request, changed) answer {
			return answer{status: 409, body: object{"$id": "1", "innerException": nil,
				"message": "TF401179: An active pull request for the source and target branch already exists.",
				"typeName": "Microsoft.TeamFoundation.Git.Server.GitPullRequestExistsException, " +
					"Microsoft.TeamFoundation.Git.Server",
				"typeKey": "GitPullRequestExistsException", "errorCode": 0, "eventId": 3000}}
		},
	},
}

func dataCenterError(message, exception string) object {
	return object{"errors": []object{{"context": nil, "message": message, "exceptionName": exception}}}
}

// Forge is the kind that a client calls the server's.
func (s *Server) Forge() string {
	if s.Kind == bitbucketCloud {
		return bitbucketDataCenter
	}
	return s.Kind
}

func (s *Server) answerOther(o other, r *http.Request) answer {
	rest, ours := strings.CutPrefix(r.URL.EscapedPath(), o.root)
	var body changed
	if r.Body != nil && r.ContentLength != 0 {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return answer{status: http.StatusBadRequest, body: object{"message": err.Error()}}
		}
	}
	number, action, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	n, _ := strconv.Atoi(number)
	missing := answer{status: http.StatusNotFound, body: object{"message": "not found"}}
	switch {
	case r.Header.Get("Authorization") != o.authorization:
		return o.unauthorized
	case !ours, s.Kind == azureDevOps && r.URL.Query().Get("api-version") == "":
		return missing
	case rest == "" && r.Method == http.MethodGet:
		return o.list(s, r)
	case rest == "" && r.Method == http.MethodPost:
		return s.makeOther(o, body)
	case n <= 0 || n > len(s.requests):
		return missing
	}
	request := s.requests[n-1]
	switch {
	case action == "labels" && r.Method == http.MethodPost:
		request.label([]string{body.Name})
		return answer{status: 200, body: object{"id": "83b1", "name": body.Name, "active": true}}
	case action == "labels":
		labels := []object{}
		for _, l := range request.Labels {
			labels = append(labels, object{"id": "83b1", "name": l, "active": true})
		}
		return answer{status: 200, body: object{"value": labels, "count": len(labels)}}
	case r.Method == http.MethodGet:
		return answer{status: 200, body: o.show(s, request)}
	case s.Kind == bitbucketDataCenter && body.Version != request.version:
		return answer{status: 409, body: dataCenterError(
			"You are attempting to modify a pull request based on out-of-date information.",
			"com.atlassian.bitbucket.pull.PullRequestOutOfDateException")}
	case r.Method == map[bool]string{true: http.MethodPatch, false: http.MethodPut}[s.Kind == azureDevOps]:
		if s.Kind != azureDevOps || body.Title != "" {
			request.Title = body.Title // what is left out is empty then
		}
		if s.Kind != azureDevOps || body.Description != "" {
			request.Body = body.Description
		}
		request.version++
		return answer{status: 200, body: o.show(s, request)}
	}
	return missing
}

func (s *Server) makeOther(o other, body changed) answer {
	head, base := body.branches()
	if s.Tip(head) == "" {
		return answer{status: http.StatusNotFound, body: object{"message": "no such branch"}}
	}
	if there := s.open(head, base); there != nil {
		if o.exists == nil { // Cloud takes it for a change
			there.Title, there.Body = body.Title, body.Description
			return answer{status: 201, body: o.show(s, there)}
		}
		return o.exists(there, body)
	}
	var labels []string
	for _, l := range body.Labels {
		labels = append(labels, l.Name)
	}
	made := s.add(Request{Head: head, Base: base, Title: body.Title, Body: body.Description, Labels: labels})
	return answer{status: 201, body: o.show(s, made)}
}

// youngest are the requests that a call asks for, the youngest first, and one page of them.
func (s *Server) youngest(start, size int, asked func(r *Request) bool) (page []*Request, more bool) {
	var all []*Request
	for _, r := range slices.Backward(s.requests) {
		if asked(r) {
			all = append(all, r)
		}
	}
	all = all[min(start, len(all)):]
	return all[:min(size, len(all))], len(all) > size
}

func (s *Server) shown(all []*Request, show func(s *Server, r *Request) object) []object {
	list := []object{}
	for _, r := range all {
		list = append(list, show(s, r))
	}
	return list
}

func listCloud(s *Server, r *http.Request) answer {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	all, more := s.youngest((page-1)*s.Page, s.Page, func(x *Request) bool {
		return slices.Contains(q["state"], cloudState(x)) &&
			q.Get("q") == fmt.Sprintf("source.branch.name = %q AND destination.branch.name = %q", x.Head, x.Base)
	})
	body := object{"pagelen": s.Page, "size": len(s.requests), "page": page, "values": s.shown(all, showCloud)}
	if more {
		q.Set("page", strconv.Itoa(page+1))
		body["next"] = s.server.URL + r.URL.Path + "?" + q.Encode()
	}
	return answer{status: 200, body: body}
}

func cloudState(r *Request) string {
	return map[string]string{"open": "OPEN", "closed": "DECLINED", "merged": "MERGED"}[r.State]
}

func showCloud(s *Server, r *Request) object {
	owner := "acme"
	if r.Fork {
		owner = "mallory"
	}
	end := func(owner, branch, commit string) object {
		return object{"branch": object{"name": branch},
			"commit":     object{"type": "commit", "hash": commit[:min(12, len(commit))]},
			"repository": object{"type": "repository", "full_name": owner + "/app", "name": "app", "uuid": "{673a6070}"}}
	}
	updated := r.Made
	if !r.Ended.IsZero() {
		updated = r.Ended
	}
	return object{"type": "pullrequest", "id": r.Number, "title": r.Title, "description": r.Body,
		"summary": object{"type": "rendered", "raw": r.Body, "markup": "markdown"}, "state": cloudState(r), "draft": false,
		"comment_count": 0, "task_count": 0, "close_source_branch": false, "closed_by": nil, "reason": "",
		"merge_commit": nil, "created_on": when(r.Made), "updated_on": when(updated),
		"reviewers": []object{{"type": "user", "uuid": "{b2c3d4e5}"}},
		"links":     object{"html": object{"href": fmt.Sprintf("https://bitbucket.org/acme/app/pull-requests/%d", r.Number)}},
		"source":    end(owner, r.Head, s.sha(r)), "destination": end("acme", r.Base, strings.Repeat("b", 40))}
}

func listDataCenter(s *Server, r *http.Request) answer {
	q := r.URL.Query()
	start, _ := strconv.Atoi(q.Get("start"))
	all, more := s.youngest(start, s.Page, func(x *Request) bool {
		return q.Get("direction") == "OUTGOING" && q.Get("at") == "refs/heads/"+x.Head &&
			(q.Get("state") == "ALL" || x.State == "open")
	})
	body := object{"size": len(all), "limit": s.Page, "isLastPage": !more, "start": start, "nextPageStart": nil,
		"values": s.shown(all, showDataCenter)}
	if more {
		body["nextPageStart"] = start + s.Page
	}
	return answer{status: 200, body: body}
}

func showDataCenter(s *Server, r *Request) object {
	source := 1
	if r.Fork {
		source = 9
	}
	end := func(branch, commit string, id int) object {
		return object{"id": "refs/heads/" + branch, "displayId": branch, "latestCommit": commit, "type": "BRANCH",
			"repository": object{"slug": "app", "id": id, "name": "app",
				"project": object{"key": "ACME", "id": 1, "name": "Acme", "type": "NORMAL"}}}
	}
	page := fmt.Sprintf("https://bitbucket.example.com/projects/ACME/repos/app/pull-requests/%d", r.Number)
	o := object{"id": r.Number, "version": r.version, "title": r.Title, "description": r.Body, "state": cloudState(r),
		"open": r.State == "open", "closed": r.State != "open", "createdDate": r.Made.UnixMilli(),
		"updatedDate": r.Made.UnixMilli(), "fromRef": end(r.Head, s.sha(r), source),
		"toRef": end(r.Base, strings.Repeat("b", 40), 1), "locked": false,
		"author":       object{"user": object{"name": "bot"}, "role": "AUTHOR"},
		"reviewers":    []object{{"user": object{"name": "ada"}, "role": "REVIEWER", "status": "UNAPPROVED"}},
		"participants": []object{}, "links": object{"self": []object{{"href": page}}}}
	if r.State != "open" {
		o["closedDate"] = r.Ended.UnixMilli()
	}
	return o
}

func listAzure(s *Server, r *http.Request) answer {
	q := r.URL.Query()
	skip, _ := strconv.Atoi(q.Get("$skip"))
	all, _ := s.youngest(skip, 100, func(x *Request) bool {
		return q.Get("searchCriteria.sourceRefName") == "refs/heads/"+x.Head &&
			q.Get("searchCriteria.targetRefName") == "refs/heads/"+x.Base &&
			(q.Get("searchCriteria.status") == "all" || q.Get("searchCriteria.status") == azureStatus(x))
	})
	list := s.shown(all, showAzure)
	for _, o := range list {
		text := o["description"].(string)
		o["description"] = text[:min(400, len(text))] // as it is documented
	}
	return answer{status: 200, body: object{"value": list, "count": len(list)}}
}

func azureStatus(r *Request) string {
	return map[string]string{"open": "active", "closed": "abandoned", "merged": "completed"}[r.State]
}

func showAzure(s *Server, r *Request) object {
	o := object{"repository": object{"id": "3411ebc1-d5aa-464f-9615-0b527bc66719", "name": "app",
		"project": object{"id": "a7573007", "name": "acme", "state": "unchanged"}},
		"pullRequestId": r.Number, "codeReviewId": r.Number, "status": azureStatus(r),
		"createdBy": object{"displayName": "bot"}, "creationDate": when(r.Made), "title": r.Title, "description": r.Body,
		"sourceRefName": "refs/heads/" + r.Head, "targetRefName": "refs/heads/" + r.Base, "mergeStatus": "succeeded",
		"isDraft": false, "lastMergeSourceCommit": object{"commitId": s.sha(r)}, "reviewers": []object{},
		"supportsIterations": true}
	if r.Fork {
		o["forkSource"] = object{"name": "refs/heads/" + r.Head, "repository": object{"id": "9999", "name": "app.fork"}}
	}
	if r.State != "open" {
		o["closedDate"] = when(r.Ended)
	}
	return o
}
