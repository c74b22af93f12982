//go:build tools

// Package kubernetes names the programs that are built from the Go modules, so that go.mod and go.sum hold all that they need.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
)
