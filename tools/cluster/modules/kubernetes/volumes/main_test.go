package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func claim() controller.ProvisionOptions {
	reclaim := v1.PersistentVolumeReclaimDelete
	return controller.ProvisionOptions{
		PVName:       "pvc-1",
		StorageClass: &storagev1.StorageClass{ReclaimPolicy: &reclaim},
		PVC: &v1.PersistentVolumeClaim{Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Resources: v1.VolumeResourceRequirements{
				Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
			},
		}},
	}
}

func TestProvision(t *testing.T) {
	syscall.Umask(0o077)
	d := directories{root: t.TempDir(), node: "here"}
	// Twice: a process that died after making the directory and before making the volume begins again.
	for range 2 {
		volume, _, err := d.Provision(context.Background(), claim())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(d.root, "pvc-1")
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o777 {
			t.Errorf("the directory: %v, %v", stat, err)
		}
		if volume.Spec.Local == nil || volume.Spec.Local.Path != path {
			t.Errorf("the volume: %+v", volume.Spec)
		}
		if volume.Spec.PersistentVolumeReclaimPolicy != v1.PersistentVolumeReclaimDelete {
			t.Errorf("reclaimed: %s", volume.Spec.PersistentVolumeReclaimPolicy)
		}
		terms := volume.Spec.NodeAffinity.Required.NodeSelectorTerms
		if len(terms) != 1 || terms[0].MatchExpressions[0].Values[0] != "here" {
			t.Errorf("the node: %+v", terms)
		}
	}
}

func TestAClaimWithASelectorIsRefused(t *testing.T) {
	d := directories{root: t.TempDir(), node: "here"}
	o := claim()
	o.PVC.Spec.Selector = &metav1.LabelSelector{}
	if _, state, err := d.Provision(context.Background(), o); err == nil || state != controller.ProvisioningFinished {
		t.Fatalf("got %v, %v", state, err)
	}
}

func TestDelete(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct {
		volume, path string
		gone         bool
	}{
		"its directory":             {"pvc-1", root + "/pvc-1", true},
		"a directory that is gone":  {"pvc-2", root + "/pvc-2", true},
		"another volume's":          {"pvc-1", root + "/pvc-3", false},
		"a path outside, with dots": {"../outside", root + "/../outside", false},
		"a path outside":            {"pvc-1", "/etc", false},
		"no local volume":           {"pvc-1", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, folder := range []string{"pvc-1", "pvc-3"} {
				if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: c.volume}}
			if c.path != "" {
				volume.Spec.Local = &v1.LocalVolumeSource{Path: c.path}
			}
			err := directories{root: root, node: "here"}.Delete(context.Background(), volume)
			var ignored *controller.IgnoredError
			if c.gone != (err == nil) || (err != nil && !errors.As(err, &ignored)) {
				t.Fatalf("got %v", err)
			}
			if _, err := os.Stat(c.path); c.gone && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the directory is still there: %v", err)
			}
		})
	}
}

func TestMissingFlagsAreRefused(t *testing.T) {
	for name, d := range map[string]directories{
		"no node":              {root: "/x"},
		"no directory":         {node: "here"},
		"a relative directory": {root: "x", node: "here"},
	} {
		if err := run("/no/such/file", d); err == nil || !strings.Contains(err.Error(), "needs") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
