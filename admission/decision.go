package admission

// Decision is what policies decide about a request.
type Decision struct {
	// Allowed tells whether no policy denies the request.
	Allowed bool `json:"allowed"`
	// Status says why the request is denied, nil if it is allowed.
	Status *Status `json:"status,omitempty"`
	// Warnings are those of bindings that warn, in their order.
	Warnings []string `json:"warnings,omitempty"`
	// AuditAnnotations are those of policies, and that of bindings that audit.
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	// Denials are all reasons to deny the request. A server reports the first.
	Denials []Denial `json:"denials,omitempty"`
	// Evaluations are those of the policies that the rules select, with the bindings and
	// parameters, in their order.
	Evaluations []Evaluation `json:"evaluations,omitempty"`
}

// Denial is one reason to deny a request.
type Denial struct {
	// Policy is the name of the policy.
	Policy string `json:"policy"`
	// Binding is empty if the policy cannot be used with any.
	Binding string `json:"binding,omitempty"`
	// Message is the server's, without the names of policy and binding.
	Message string `json:"message"`
	// Reason is that of the validation, empty if there is none.
	Reason string `json:"reason,omitempty"`
	// Index is that of the validation, -1 for anything else.
	Index int `json:"index"`
	// Err is the error behind the denial, nil if a validation is false.
	Err error `json:"-"`
}

// Status is the status of a denied request, in the form of meta/v1 Status.
type Status struct {
	// Status is always Failure.
	Status string `json:"status"`
	// Message says what was denied by whom, and why.
	Message string `json:"message"`
	// Reason is that of the validation, Invalid by default.
	Reason string `json:"reason"`
	// Code is the code of HTTP.
	Code int32 `json:"code"`
	// Details say what object the status is about.
	Details *StatusDetails `json:"details,omitempty"`
}

// StatusDetails say what a status is about.
type StatusDetails struct {
	// Name is the name of the object.
	Name string `json:"name,omitempty"`
	// Group is the API group.
	Group string `json:"group,omitempty"`
	// Kind is the resource.
	Kind string `json:"kind,omitempty"`
	// Causes have the message without the object.
	Causes []StatusCause `json:"causes,omitempty"`
}

// StatusCause is one cause.
type StatusCause struct {
	// Message says who denied the request, and why.
	Message string `json:"message"`
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// reasonCodes are the codes of HTTP of the reasons that a validation may have. Package net/http, which
// names them, is larger than all else.
var reasonCodes = map[string]int32{
	"Forbidden":             403,
	"Unauthorized":          401,
	"RequestEntityTooLarge": 413,
}

// denied is the status of a request for its first denial.
func (r *Request) denied(d Denial) *Status {
	reason := d.Reason
	if reason == "" {
		reason = "Invalid"
	}
	code, ok := reasonCodes[reason]
	if !ok {
		code = 422
	}
	text := "ValidatingAdmissionPolicy '" + d.Policy + "' with binding '" + d.Binding + "' denied request: " + d.Message
	if d.Binding == "" {
		text = "ValidatingAdmissionPolicy '" + d.Policy + "' denied request: " + d.Message
	}
	name := r.shownName()
	qualified := r.Resource.Resource
	if r.Resource.Group != "" {
		qualified += "." + r.Resource.Group
	}
	message := qualified + " " + quote(name) + " is forbidden: " + text
	if qualified == "" {
		message = "forbidden: " + text
	}
	return &Status{
		Status: "Failure", Message: message, Reason: reason, Code: code,
		Details: &StatusDetails{Name: name, Group: r.Resource.Group, Kind: r.Resource.Resource, Causes: []StatusCause{{text}}},
	}
}

// shownName is the name of the object as messages have it.
func (r *Request) shownName() string {
	if r.Name != "" {
		return r.Name
	}
	metadata, _ := r.Object["metadata"].(map[string]any)
	for _, field := range []string{"name", "generateName"} {
		if name, _ := metadata[field].(string); name != "" {
			return name
		}
	}
	return "Unknown"
}
