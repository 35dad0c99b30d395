package wire

import "encoding/json"

// Query parameters of tasks.
const (
	QueryCurrency = "currency" // of PathTasks, required: a currency code
	QuerySkip     = "skip"
	QueryDeadline = "deadline" // ISO 8601, UTC; empty takes it away
)

// MaxTasksPerPage and MaxTeamPerPage are the largest limits of PathTasks and PathTeam. A page with fewer
// items is the last one.
const (
	MaxTasksPerPage = 50
	MaxTeamPerPage  = 500
)

// Task is a project task: an item of PathTasks. There is one per target language and stage.
type Task struct {
	ID                     string                 `json:"id"`
	Number                 string                 `json:"number"`
	Status                 TaskStatus             `json:"status"`
	ProgressPercentage     float64                `json:"progressPercentage"`
	SourceLanguage         string                 `json:"sourceLanguage"`
	TargetLanguage         string                 `json:"targetLanguage"`
	StageType              StageType              `json:"stageType"`
	StageID                string                 `json:"stageId"`
	DocumentIDs            []string               `json:"documentIds"`
	CreateDate             string                 `json:"createDate"`
	LastUpdateScopeDate    string                 `json:"lastUpdateScopeDate"`
	Deadline               string                 `json:"deadline,omitempty"`
	Cost                   json.RawMessage        `json:"cost,omitempty"`            // its form is not published
	ApproximateCost        json.RawMessage        `json:"approximateCost,omitempty"` // nor is this one's
	IndividualAssignments  []IndividualAssignment `json:"individualAssignments"`
	VendorAssignments      []VendorAssignment     `json:"vendorAssignments"`
	InvitationStrategyType string                 `json:"invitationStrategyType,omitempty"` // crowd or rocket
}

// TaskStatus is the state of a task. The service interface shows "created" only.
type TaskStatus string

// The states that are known.
const (
	TaskCreated     TaskStatus = "created"
	TaskShortlisted TaskStatus = "suppliersShortlisted"
	TaskInvited     TaskStatus = "suppliersInvited"
	TaskInProgress  TaskStatus = "inProgress"
	TaskCompleted   TaskStatus = "completed"
)

// UnmarshalJSON reads the word ignoring case.
func (s *TaskStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, TaskCreated, TaskShortlisted, TaskInvited, TaskInProgress, TaskCompleted)
}

// AssignmentStatus is how far an assignment has come.
type AssignmentStatus string

// The states that are known.
const (
	AssignmentShortlisted AssignmentStatus = "shortlisted"
	AssignmentInvited     AssignmentStatus = "invited"
	AssignmentInProgress  AssignmentStatus = "inProgress"
)

// UnmarshalJSON reads the word ignoring case.
func (s *AssignmentStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, AssignmentShortlisted, AssignmentInvited, AssignmentInProgress)
}

// IndividualAssignment is a member of the team on a task.
type IndividualAssignment struct {
	UserID   string           `json:"userId"`
	Rate     float64          `json:"rate,omitempty"`
	Currency string           `json:"currency,omitempty"`
	Status   AssignmentStatus `json:"status"`
}

// VendorAssignment is a company on a task.
type VendorAssignment struct {
	AccountID   string           `json:"accountId"`
	Name        string           `json:"name,omitempty"`
	CanUnassign bool             `json:"canUnassign"`
	Rate        float64          `json:"rate,omitempty"`
	Status      AssignmentStatus `json:"status"`
}

// AssignRequest is the body of PUT PathTaskAssignment, whose answer is a JSON boolean.
type AssignRequest struct {
	ShouldAssignInShortlistStatus bool     `json:"shouldAssignInShortlistStatus"`
	UserIDs                       []string `json:"userIds"`
}

// TeamSearch is the body of PathTeam, whose answer is an array of TeamMember. The service interface has
// Skip and Limit, both mandatory.
type TeamSearch struct {
	Skip           int    `json:"skip"`
	Limit          int    `json:"limit"`
	SearchString   string `json:"searchString,omitempty"` // this and what follows: published description only
	ServiceType    string `json:"serviceType,omitempty"`
	SourceLanguage string `json:"sourceLanguage,omitempty"`
	TargetLanguage string `json:"targetLanguage,omitempty"`
}

// TeamMember is one member of the account's team.
type TeamMember struct {
	ID           string          `json:"id"`
	Email        string          `json:"email"`
	FirstName    string          `json:"firstName"`
	LastName     string          `json:"lastName"`
	Services     []TeamService   `json:"services"`
	ExternalID   string          `json:"externalId,omitempty"`
	ClientIDs    []string        `json:"clientIds,omitempty"`
	CustomFields json.RawMessage `json:"customFields,omitempty"`
}

// TeamService is what a member does, for which languages and at which price.
type TeamService struct {
	ServiceType       string   `json:"serviceType"`
	SourceLanguage    string   `json:"sourceLanguage,omitempty"`
	TargetLanguage    string   `json:"targetLanguage,omitempty"`
	PricePerUnit      float64  `json:"pricePerUnit,omitempty"`
	PerformancePerDay float64  `json:"performancePerDay,omitempty"`
	Currency          string   `json:"currency,omitempty"`
	Specializations   []string `json:"specializations,omitempty"`
}
