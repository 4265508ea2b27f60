package library

// equalSince is the first release that prices == of the types of Kubernetes. Older
// ones estimate them as values of any size, and charge the size that the value has.
func equalSince() Version { return Introduced(1, 32) }
