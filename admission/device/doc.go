// Package device evaluates the CEL selectors of devices in ResourceClaims and DeviceClasses of
// resource.k8s.io, as the scheduler of Kubernetes does for dynamic resource allocation.
//
// A selector sees the variable device: device.driver, device.attributes["domain"].name,
// device.capacity["domain"].name, and from Kubernetes 1.34 on device.allowMultipleAllocations. The functions
// are those of a server, and cel.bind.
//
// Environments, results, errors, costs and estimates are those of k8s.io/dynamic-resource-allocation v0.37.2,
// package cel. For older releases, the environment is what that module says they had.
package device
