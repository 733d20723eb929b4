//go:build tools

// Package tools names the commands that the embedded cluster builds from this module.
package tools

import (
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
