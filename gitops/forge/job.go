package forge

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Job is a job that runs for a pull or merge request, as its CI system tells it in variables.
type Job struct {
	Kind       string // of Kinds
	URL        string // of the forge, as Options have it
	Repository string // that the request goes to
	Number     int    // of the request
	Commit     string // the last one of the request's branch
	Base       string // the branch that it is to go into
	Token      string // that the job may use; "" where it has none
	AppID      string // of a GitHub App, whose private key Token is then
}

// maxEvent is what GitHub's description of an event may take.
const maxEvent = 32 << 20

// JobOf reads the variables of GitHub Actions, Gitea's and Forgejo's Actions, GitLab CI, Bitbucket Pipelines, Azure
// Pipelines and Jenkins. An error tells that they name no request, or what they lack.
func JobOf(getenv func(string) string) (Job, error) {
	var j Job
	var err error
	switch {
	case getenv("GITHUB_ACTIONS") == "true", getenv("GITEA_ACTIONS") == "true":
		j, err = actionsJob(getenv)
	case getenv("GITLAB_CI") == "true":
		j = Job{Kind: "gitlab", URL: getenv("CI_SERVER_URL"), Repository: getenv("CI_MERGE_REQUEST_PROJECT_PATH"),
			Number: number(getenv("CI_MERGE_REQUEST_IID")),
			Commit: cmp.Or(getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"), getenv("CI_COMMIT_SHA")),
			Base:   getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"), Token: getenv("GITLAB_TOKEN")}
	case getenv("BITBUCKET_BUILD_NUMBER") != "":
		j = Job{Kind: bitbucket, URL: "https://bitbucket.org", Repository: getenv("BITBUCKET_REPO_FULL_NAME"),
			Number: number(getenv("BITBUCKET_PR_ID")), Commit: getenv("BITBUCKET_COMMIT"),
			Base: getenv("BITBUCKET_PR_DESTINATION_BRANCH"), Token: getenv("BITBUCKET_TOKEN")}
	case strings.EqualFold(getenv("TF_BUILD"), "true"):
		j = Job{Kind: azureDevOps, Number: number(getenv("SYSTEM_PULLREQUEST_PULLREQUESTID")),
			Commit: getenv("SYSTEM_PULLREQUEST_SOURCECOMMITID"), Token: getenv("SYSTEM_ACCESSTOKEN"),
			Base: strings.TrimPrefix(getenv("SYSTEM_PULLREQUEST_TARGETBRANCH"), "refs/heads/")}
		j.URL, j.Repository, err = Locate(getenv("BUILD_REPOSITORY_URI"))
	case getenv("JENKINS_URL") != "":
		j = Job{Number: number(getenv("CHANGE_ID")), Commit: getenv("GIT_COMMIT"), Base: getenv("CHANGE_TARGET")}
		j.URL, j.Repository, err = Locate(getenv("GIT_URL"))
		if u, perr := url.Parse(j.URL); perr == nil {
			j.Kind = kindOf("", u.Hostname())
		}
	}
	if j.Number == 0 {
		return Job{}, errors.New("no pull or merge request is known here: the variables of GitHub Actions, GitLab CI, " +
			"Bitbucket Pipelines, Azure Pipelines or Jenkins name none")
	}
	if token := getenv("LOCSYNC_FORGE_TOKEN"); token != "" {
		j.Token, j.AppID = token, getenv("LOCSYNC_FORGE_APP_ID")
	}
	return j, err
}

// actionsJob reads the file that describes the event: the variables name the commit of a trial merge, not the branch's.
func actionsJob(getenv func(string) string) (Job, error) {
	j := Job{Kind: "github", URL: getenv("GITHUB_SERVER_URL"), Repository: getenv("GITHUB_REPOSITORY"),
		Token: getenv("GITHUB_TOKEN")}
	if getenv("GITEA_ACTIONS") == "true" || getenv("FORGEJO_ACTIONS") == "true" {
		j.Kind, j.Token = "gitea", cmp.Or(getenv("GITEA_TOKEN"), j.Token)
	}
	var event struct {
		Request *struct {
			Number int `json:"number"`
			Head   struct {
				SHA string `json:"sha"`
			} `json:"head"`
			Base struct {
				Ref string `json:"ref"`
			} `json:"base"`
		} `json:"pull_request"`
	}
	f, err := os.Open(getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return j, err
	}
	defer f.Close()
	content, err := bound.Read(f, maxEvent)
	if err == nil {
		err = json.Unmarshal(content, &event)
	}
	if err != nil || event.Request == nil {
		return j, err
	}
	j.Number, j.Commit, j.Base = event.Request.Number, event.Request.Head.SHA, event.Request.Base.Ref
	return j, nil
}

// OfGitHubsJob reports whether a token is the one that GitHub gives each job: what is done with it starts no other job.
func OfGitHubsJob(token string, getenv func(string) string) bool {
	return getenv("GITHUB_ACTIONS") == "true" && getenv("GITEA_ACTIONS") == "" && getenv("FORGEJO_ACTIONS") == "" &&
		token != "" && token == getenv("GITHUB_TOKEN")
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // 0: none
	return n
}

// Forge is the client of the job's repository. It makes no request.
func (j Job) Forge(agent string) (Forge, error) {
	return New(Options{Kind: j.Kind, URL: j.URL, Repository: j.Repository, Token: j.Token, AppID: j.AppID,
		UserAgent: agent})
}
