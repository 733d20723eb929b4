//go:build tools

// Package tools names the commands that the embedded cluster builds from this module.
package tools

import (
	_ "github.com/opencontainers/runc"
)
