package parity

import (
	"slices"
	"strings"
)

// domains are what strings mean as arguments of a function, the receiver first: the
// pools of stringDomains. "string" stands for what is not named here.
var domains = func() map[string][]string {
	all := map[string][]string{
		"validate": {"", "formatted"}, "check": {"", "verb"}, "path": {"", "path"}, "serviceAccount": {"", "name", "name"},
		"containsIP": {"", "ip"}, "containsCIDR": {"", "cidr"}, "join": {"", "needle"},
		"format": {"printf"}, "format.named": {"format"}, "duration": {"durationtext"}, "timestamp": {"timestamptext"}, "bool": {"booltext"},
	}
	for _, row := range []struct {
		functions string
		domains   []string
	}{
		{"matches find findAll", []string{"string", "regex"}},
		{"ip isIP ip.isCanonical", []string{"ip"}},
		{"cidr isCIDR", []string{"cidr"}},
		{"quantity isQuantity", []string{"quantity"}},
		{"url isURL", []string{"url"}},
		{"semver isSemver", []string{"semver"}},
		{"int uint double", []string{"numbertext"}},
		{"group resource subresource namespace name", []string{"", "name"}},
		{"fieldSelector labelSelector", []string{"", "selector"}},
		{"contains startsWith endsWith indexOf lastIndexOf split replace", []string{"string", "needle", "needle"}},
	} {
		for _, f := range strings.Fields(row.functions) {
			all[f] = row.domains
		}
	}
	return all
}()

// meaning gives the domain of an argument by function and position; the receiver
// is position 0. The getters take a time zone.
func meaning(function string, position int) string {
	at, ok := domains[function]
	if !ok && strings.HasPrefix(function, "get") {
		at = []string{"", "tz"}
	}
	if position < len(at) && at[position] != "" {
		return at[position]
	}
	return "string"
}

// groups are the files in which the overloads of types stand, whatever their other
// arguments; receivers are those of lists, strings and optionals.
var (
	groups = map[string]string{
		"net.IP": "net", "net.CIDR": "net", "kubernetes.Quantity": "quantity", "kubernetes.URL": "url", "kubernetes.Semver": "semver",
		"kubernetes.NamedFormat": "format", "google.protobuf.Timestamp": "time", "google.protobuf.Duration": "time",
		"kubernetes.authorization.Authorizer": "authz", "kubernetes.authorization.PathCheck": "authz", "kubernetes.authorization.GroupCheck": "authz",
		"kubernetes.authorization.ResourceCheck": "authz", "kubernetes.authorization.Decision": "authz",
	}
	receivers = []string{"list", "string", "optional_type"}
)

// groupOf is the file of an overload: operators, a type of a library, a receiver, or
// the rest.
func groupOf(o Overload) string {
	if strings.ContainsAny(o.Function[:1], "_!-@") {
		return "operators"
	}
	for _, t := range append(slices.Clone(o.Args), o.Result) {
		if group := groups[parseType(t).name]; group != "" {
			return group
		}
	}
	if len(o.Args) > 0 {
		if name := parseType(o.Args[0]).name; slices.Contains(receivers, name) {
			return name
		}
	}
	return "other"
}
