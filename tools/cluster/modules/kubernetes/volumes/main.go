// Command volumes gives each PersistentVolumeClaim of the embedded cluster a directory on this machine.
//
// It makes volumes of the kind "local", not "hostPath", because the kubelet applies a Pod's fsGroup only to the former.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

const provisionerName = "millrace.dev/local-directory"

type directories struct {
	root string
	node string
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file")
	root := flag.String("directory", "", "folder in which the volumes' directories are made")
	node := flag.String("node", "", "name of the node that this machine is")
	flag.Parse()
	if err := run(*kubeconfig, directories{root: *root, node: *node}); err != nil {
		fmt.Fprintln(os.Stderr, "volumes:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, d directories) error {
	if kubeconfig == "" || d.node == "" || !filepath.IsAbs(d.root) {
		return errors.New("needs -kubeconfig, -node and an absolute -directory")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	controller.NewProvisionController(ctx, client, provisionerName, d, controller.LeaderElection(false)).Run(ctx)
	return nil
}

// Provision makes the directory writable by everyone, so that a Pod without fsGroup can use it too.
func (d directories) Provision(_ context.Context, o controller.ProvisionOptions) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	if o.PVC.Spec.Selector != nil {
		return nil, controller.ProvisioningFinished, errors.New("a claim with a selector cannot be given a new volume")
	}
	path := filepath.Join(d.root, o.PVName)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.Chmod(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	return d.volume(path, o), controller.ProvisioningFinished, nil
}

func (d directories) volume(path string, o controller.ProvisionOptions) *v1.PersistentVolume {
	here := v1.NodeSelectorRequirement{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{d.node}}
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: v1.PersistentVolumeSpec{
			AccessModes:            o.PVC.Spec.AccessModes,
			Capacity:               v1.ResourceList{v1.ResourceStorage: o.PVC.Spec.Resources.Requests[v1.ResourceStorage]},
			VolumeMode:             o.PVC.Spec.VolumeMode,
			PersistentVolumeSource: v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: path}},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{here}}},
			}},
		},
	}
	if o.StorageClass.ReclaimPolicy != nil {
		volume.Spec.PersistentVolumeReclaimPolicy = *o.StorageClass.ReclaimPolicy
	}
	return volume
}

// Delete removes the directory; a path outside the root is refused, whatever the object says.
func (d directories) Delete(_ context.Context, volume *v1.PersistentVolume) error {
	if volume.Spec.Local == nil || volume.Spec.Local.Path != filepath.Join(d.root, volume.Name) {
		return &controller.IgnoredError{Reason: "the volume does not lie in " + d.root}
	}
	return os.RemoveAll(volume.Spec.Local.Path)
}
