package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
)

func TestIsForSteps(t *testing.T) {
	for entry, want := range map[string]bool{
		"PATH=/bin":                          true,
		"MILLRACE_SHIM_KEY=0":                false,
		"MILLRACE_=":                         false,
		"KUBERNETES_SERVICE_HOST=198.51.0.1": false,
		"NOT_MILLRACE_=1":                    true,
		"MILLRACE=1":                         true,
	} {
		if got := isForSteps(entry); got != want {
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
		"a variable of the step overrides that of the image": {
			[]string{"PATH=/bin", "HOME=" + home, "A=image"}, []string{"A=step", "B=step"},
			[]string{"PATH=/bin", "HOME=" + home, "A=step", "B=step"},
		},
		"a value may be empty or contain any character": {
			[]string{"PATH=/bin", "HOME=" + home}, []string{"A=x=y", "EMPTY=", "LINES=a\nb"},
			[]string{"PATH=/bin", "HOME=" + home, "A=x=y", "EMPTY=", "LINES=a\nb"},
		},
		"an entry without a name is dropped": {
			[]string{"PATH=/bin", "HOME=" + home, "=x", "x"}, nil,
			[]string{"PATH=/bin", "HOME=" + home},
		},
		"an image without a PATH gets the default one": {
			[]string{"HOME=" + home}, nil,
			[]string{"HOME=" + home, "PATH=" + defaultPath},
		},
		"a step without a home gets a private one": {
			[]string{"PATH=/bin"}, nil,
			[]string{"PATH=/bin", "HOME=<private>/home"},
		},
		"a home that does not exist is replaced by a private one": {
			[]string{"PATH=/bin", "HOME=/no/such/folder"}, nil,
			[]string{"PATH=/bin", "HOME=<private>/home"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			var want []string
			for _, entry := range c.want {
				if entry == "HOME=<private>/home" {
					entry = "HOME=" + directory + "/home"
				}
				want = append(want, entry)
			}
			want = append(want, git+"COUNT=1", git+"KEY_0=safe.directory", git+"VALUE_0=*")
			if got := stepEnvironment(c.inherited, c.own, directory).list(); !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestStepEnvironmentKeepsGitSettings(t *testing.T) {
	for name, c := range map[string]struct{ count, wantCount, wantKey string }{
		"two settings of the step":     {"2", "3", "GIT_CONFIG_KEY_2"},
		"no setting":                   {"0", "1", "GIT_CONFIG_KEY_0"},
		"a count that is not a number": {"x", "1", "GIT_CONFIG_KEY_0"},
		"a negative count":             {"-1", "1", "GIT_CONFIG_KEY_0"},
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
	create := func(path string, mode os.FileMode) string {
		whole := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(whole), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(whole, nil, mode); err != nil {
			t.Fatal(err)
		}
		return whole
	}
	first, second, here := create("a/tool", 0o755), create("b/tool", 0o755), create("work/here", 0o755)
	create("a/plain", 0o644)
	later := create("b/plain", 0o755)
	create("a/only-plain", 0o644)
	if err := os.Mkdir(root+"/a/folder", 0o755); err != nil {
		t.Fatal(err)
	}
	cwd := root + "/work"
	path := root + "/a:" + root + "/b"
	for name, c := range map[string]struct {
		program, path, want string
		err                 error
	}{
		"the first match in PATH is taken":                {"tool", path, first, nil},
		"PATH is that of the step":                        {"tool", root + "/b", second, nil},
		"a file that is not executable is skipped":        {"plain", path, later, nil},
		"a file that is nowhere executable is refused":    {"only-plain", path, "", syscall.EACCES},
		"a file that does not exist is missing":           {"nothing", path, "", syscall.ENOENT},
		"a folder is not a program":                       {"folder", path, "", syscall.ENOENT},
		"an empty entry of PATH is the working directory": {"here", path + ":", here, nil},
		"an absolute path is not changed":                 {"/bin/no-such", path, "/bin/no-such", nil},
		"a relative path begins at the working directory": {"./here", path, cwd + "/./here", nil},
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
	existing := t.TempDir()
	for name, c := range map[string]struct{ ofImage, want string }{
		"$TMPDIR of the image":                        {existing, existing},
		"/tmp if $TMPDIR of the image does not exist": {"/no/such/folder", "/tmp"},
		"/tmp if the image has no $TMPDIR":            {"", "/tmp"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := temporaryRoot(c.ofImage, existing); got != c.want {
				t.Fatalf("got %q", got)
			}
		})
	}
}
