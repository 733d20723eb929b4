package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAFreshCommandSeesNoTemporaryFilesOfEarlierOnes(t *testing.T) {
	shared := t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "of-the-image"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.keep.files.directories = []string{shared, filepath.Join(shared, "missing"), ""}
	fresh := func(text string) command {
		c := script(text)
		c.fresh = true
		c.env = []string{"SHARED=" + shared}
		return c
	}
	first := b.run(fresh(`
		ls "$TMPDIR"; mkdir "$SHARED/clone"; echo a > "$SHARED/clone/secret"; chmod 0 "$SHARED/clone"
		ln -s /etc "$SHARED/link"; echo b > "$TMPDIR/cache"; echo c > "$SHARED/.hidden"`))
	if first.end.kind != exitKindCode || first.end.code != 0 || first.stdout != "" {
		t.Fatalf("%+v", first)
	}
	many := b.run(fresh(`seq 3000 | sed "s,^,$SHARED/," | xargs touch`))
	if names := namesIn(shared); many.end.code != 0 || len(names) != 1 {
		t.Errorf("when the end is reported, %d files are there: %+v", len(names), many)
	}
	second := b.run(fresh(`ls -A "$SHARED" "$TMPDIR"; test -d /etc`))
	if second.end.code != 0 || !strings.Contains(second.stdout, "of-the-image") {
		t.Fatalf("%+v", second)
	}
	for _, left := range []string{"clone", "link", "cache", ".hidden"} {
		if strings.Contains(second.stdout, left) {
			t.Errorf("%s is still there: %q", left, second.stdout)
		}
	}
}

func TestAShimOutsideAContainerRemovesNoFilesOfTheMachine(t *testing.T) {
	if directories := newTemporaryFiles("/tmp").directories; len(directories) != 0 {
		t.Errorf("%v", directories)
	}
}

func TestARemovalThatTakesLongDoesNotHoldUpTheReport(t *testing.T) {
	defer func(limit time.Duration) { removalLimit = limit }(removalLimit)
	removalLimit = 10 * time.Millisecond
	never := make(chan struct{})
	defer close(never)
	waitFor(func() { <-never })
}

func TestAFreshCommandWaitsUntilTheFilesOfTheOneBeforeAreRemoved(t *testing.T) {
	defer func(limit time.Duration) { removalLimit = limit }(removalLimit)
	removalLimit = 0
	shared := t.TempDir()
	b := newBench(t)
	b.keep.files.directories = []string{shared}
	c := script(`seq 3000 | sed "s,^,$SHARED/," | xargs touch`)
	c.fresh = true
	c.env = []string{"SHARED=" + shared}
	b.run(c)
	c.script = `ls "$SHARED"; touch "$SHARED/own"; sleep 0.2; ls "$SHARED"`
	if second := b.run(c); second.stdout != "own\n" {
		t.Errorf("the second command saw %q", second.stdout)
	}
}

func TestTheFolderOfACommandIsRecreated(t *testing.T) {
	b := newBench(t)
	folder := filepath.Join(b.work, "got")
	kept := filepath.Join(b.work, "kept")
	for _, path := range []string{filepath.Join(folder, "old", "deep"), kept} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := script(`ls -A "` + folder + `"; stat -c %a "` + folder + `"`)
	c.folder = folder
	h := b.run(c)
	if h.end.code != 0 || h.stdout != "775\n" && h.stdout != "755\n" {
		t.Errorf("%+v", h)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, folder); err != nil {
		t.Fatal(err)
	}
	if h := b.run(c); h.end.code != 0 {
		t.Errorf("%+v", h)
	}
	if stat, err := os.Lstat(folder); err != nil || !stat.IsDir() {
		t.Errorf("%v %v", stat, err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestACommandReadsItsInput(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for name, c := range map[string]struct {
		text, input string
		has         bool
		want        string
	}{
		"a short input":                       {`cat`, "{\"a\":1}", true, "{\"a\":1}"},
		"an input longer than a pipe holds":   {`wc -c | tr -d ' '`, long, true, "307200\n"},
		"no input":                            {`cat; echo end`, "", false, "end\n"},
		"an empty input":                      {`cat; echo end`, "", true, "end\n"},
		"an input that the command ignores":   {`echo done`, long, true, "done\n"},
		"an input that the command closes":    {`exec 0<&-; sleep 0.1; echo done`, long, true, "done\n"},
		"a part, while a child process stays": {`sleep 100 & head -c 3`, long, true, "xxx"},
		"an input that is in no file":         {`cat >/dev/null; grep -rl "SEC[R]ET" "$HOME" /proc/self/environ /proc/self/cmdline || echo no`, "SECRET", true, "no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			full := script(c.text)
			full.input, full.hasInput = c.input, c.has
			h := newBench(t).run(full)
			if h.stdout != c.want || h.end.kind != exitKindCode {
				t.Errorf("%+v", h)
			}
		})
	}
}
