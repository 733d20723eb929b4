package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
)

func TestPassesOn(t *testing.T) {
	for entry, want := range map[string]bool{
		"PATH=/bin":                          true,
		"MILLRACE_SHIM_KEY=0":                false,
		"MILLRACE_=":                         false,
		"KUBERNETES_SERVICE_HOST=198.51.0.1": false,
		"NOT_MILLRACE_=1":                    true,
		"MILLRACE=1":                         true,
	} {
		if got := passesOn(entry); got != want {
			t.Errorf("%s: got %v", entry, got)
		}
	}
}

func TestStepEnvironment(t *testing.T) {
	home := t.TempDir()
	const git = "GIT_CONFIG_"
	for name, c := range map[string]struct {
		inherited, own []string
		want           []string
	}{
		"the step's own value is worth more than the image's": {
			[]string{"PATH=/bin", "HOME=" + home, "A=image"}, []string{"A=step", "B=step"},
			[]string{"PATH=/bin", "HOME=" + home, "A=step", "B=step"},
		},
		"a value may hold anything, also nothing": {
			[]string{"PATH=/bin", "HOME=" + home}, []string{"A=x=y", "EMPTY=", "LINES=a\nb"},
			[]string{"PATH=/bin", "HOME=" + home, "A=x=y", "EMPTY=", "LINES=a\nb"},
		},
		"what has no name is left out": {
			[]string{"PATH=/bin", "HOME=" + home, "=x", "x"}, nil,
			[]string{"PATH=/bin", "HOME=" + home},
		},
		"an image without a path gets the usual one": {
			[]string{"HOME=" + home}, nil,
			[]string{"HOME=" + home, "PATH=" + defaultPath},
		},
		"without a home the step gets one of its own": {
			[]string{"PATH=/bin"}, nil,
			[]string{"PATH=/bin", "HOME=<room>/home"},
		},
		"a home that is not there is none": {
			[]string{"PATH=/bin", "HOME=/no/such/folder"}, nil,
			[]string{"PATH=/bin", "HOME=<room>/home"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			room := t.TempDir()
			var want []string
			for _, entry := range c.want {
				if entry == "HOME=<room>/home" {
					entry = "HOME=" + room + "/home"
				}
				want = append(want, entry)
			}
			want = append(want, git+"COUNT=1", git+"KEY_0=safe.directory", git+"VALUE_0=*")
			if got := stepEnvironment(c.inherited, c.own, room).list(); !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestStepEnvironmentKeepsGitSettings(t *testing.T) {
	for name, c := range map[string]struct{ count, wantCount, wantKey string }{
		"two of its own": {"2", "3", "GIT_CONFIG_KEY_2"},
		"none":           {"0", "1", "GIT_CONFIG_KEY_0"},
		"rubbish":        {"x", "1", "GIT_CONFIG_KEY_0"},
		"less than none": {"-1", "1", "GIT_CONFIG_KEY_0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := stepEnvironment(nil, []string{"GIT_CONFIG_COUNT=" + c.count}, t.TempDir()).values
			if got["GIT_CONFIG_COUNT"] != c.wantCount || got[c.wantKey] != "safe.directory" {
				t.Fatalf("got %v", got)
			}
		})
	}
}

func TestFindProgram(t *testing.T) {
	root := t.TempDir()
	put := func(path string, mode os.FileMode) string {
		whole := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(whole, nil, mode); err != nil {
			t.Fatal(err)
		}
		return whole
	}
	first, second, here := put("a/tool", 0o755), put("b/tool", 0o755), put("work/here", 0o755)
	put("a/plain", 0o644)
	later := put("b/plain", 0o755)
	put("a/only-plain", 0o644)
	if err := os.Mkdir(root+"/a/folder", 0o755); err != nil {
		t.Fatal(err)
	}
	cwd := root + "/work"
	path := root + "/a:" + root + "/b"
	for name, c := range map[string]struct {
		program, path, want string
		err                 error
	}{
		"the first of the path":                        {"tool", path, first, nil},
		"the path is the step's own":                   {"tool", root + "/b", second, nil},
		"what cannot be run is passed over":            {"plain", path, later, nil},
		"what is there and cannot be run is forbidden": {"only-plain", path, "", syscall.EACCES},
		"what is nowhere is missing":                   {"nothing", path, "", syscall.ENOENT},
		"a folder is no program":                       {"folder", path, "", syscall.ENOENT},
		"an empty part of the path is here":            {"here", path + ":", here, nil},
		"a whole path is taken as it is":               {"/bin/no-such", path, "/bin/no-such", nil},
		"a path with a slash is seen from here":        {"./here", path, cwd + "/./here", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := findProgram(c.program, c.path, cwd)
			if got != c.want || !errors.Is(err, c.err) {
				t.Fatalf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

func TestTemporaryRoot(t *testing.T) {
	mine := t.TempDir()
	for name, c := range map[string]struct{ wanted, want string }{
		"the image's":                     {mine, mine},
		"the image's, if it is there":     {"/no/such/folder", "/tmp"},
		"the usual one, if it names none": {"", "/tmp"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := temporaryRoot(c.wanted, mine); got != c.want {
				t.Fatalf("got %q", got)
			}
		})
	}
}
