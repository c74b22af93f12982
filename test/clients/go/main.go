// A controller-runtime manager as people write them: caches, leader election, a webhook, typed, metadata-only and unstructured clients.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const finalizer = "clients.example.com/made"

var thing = schema.GroupVersionKind{Group: "things.example.com", Version: "v1", Kind: "Thing"}

// makesSecrets gives every ConfigMap labelled `make=secret` a Secret and a Deployment of its name, and records it in an annotation.
type makesSecrets struct{ client.Client }

func (r makesSecrets) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := r.Get(ctx, request.NamespacedName, &source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.Labels["make"] != "secret" {
		return ctrl.Result{}, nil
	}
	if !source.DeletionTimestamp.IsZero() {
		before := client.MergeFromWithOptions(source.DeepCopy(), client.MergeFromWithOptimisticLock{})
		controllerutil.RemoveFinalizer(&source, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &source, before))
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: source.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.StringData = source.Data
		return controllerutil.SetControllerReference(&source, secret, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: source.Namespace}}
	if _, err := controllerutil.CreateOrPatch(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"app": source.Name}
		deployment.Spec.Replicas = ptr.To[int32](1)
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "registry.example.com/image"}}
		return controllerutil.SetControllerReference(&source, deployment, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := client.MergeFrom(source.DeepCopy())
	controllerutil.AddFinalizer(&source, finalizer)
	meta := source.GetAnnotations()
	if meta == nil {
		meta = map[string]string{}
	}
	meta["made"] = "secret"
	source.SetAnnotations(meta)
	return ctrl.Result{}, r.Patch(ctx, &source, before)
}

// countsThings writes the status of a kind that is not compiled in.
type countsThings struct{ client.Client }

func (r countsThings) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(thing)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	replicas, _, err := unstructured.NestedInt64(object.Object, "spec", "replicas")
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(object.Object, replicas, "status", "replicas"); err != nil {
		return ctrl.Result{}, err
	}
	err = r.Status().Update(ctx, object)
	if apierrors.IsConflict(err) {
		return ctrl.Result{Requeue: true}, nil
	}
	return ctrl.Result{}, err
}

// guard fills in a field of ConfigMaps and refuses those called `denied`.
func guard(decoder admission.Decoder) admission.HandlerFunc {
	return func(_ context.Context, request admission.Request) admission.Response {
		var object corev1.ConfigMap
		if err := decoder.Decode(request, &object); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if object.Name == "denied" {
			return admission.Denied("this name is not allowed")
		}
		if object.Data == nil {
			object.Data = map[string]string{}
		}
		object.Data["guarded"] = "yes"
		return patched(request, &object)
	}
}

func run() error {
	kubeconfig := flag.String("config", "", "kubeconfig")
	certificates := flag.String("certificates", "", "folder with tls.crt and tls.key")
	port := flag.Int("port", 0, "of the webhook")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "clients.example.com",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		WebhookServer:                 webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates}),
	})
	if err != nil {
		return err
	}
	owned := builder.OnlyMetadata
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}, owned).Owns(&appsv1.Deployment{}).Complete(makesSecrets{manager.GetClient()}); err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(thing)
	if err := ctrl.NewControllerManagedBy(manager).For(object).Complete(countsThings{manager.GetClient()}); err != nil {
		return err
	}
	manager.GetWebhookServer().Register("/guard", &webhook.Admission{Handler: guard(admission.NewDecoder(manager.GetScheme()))})
	if _, err := manager.GetRESTMapper().RESTMapping(thing.GroupKind()); meta.IsNoMatchError(err) {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println("elected")
	}()
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
