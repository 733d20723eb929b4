//go:build tools

// Package tools names the commands that tests build from this module.
package tools

import (
	_ "code.gitea.io/gitea"
)
