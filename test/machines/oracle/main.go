// Runs the controllers of machine-api-operator with an actuator that asks a server: the same one that Longshore's controllers ask in the comparison,
// by the protocol of docs/actuators.md. It is built inside the repository of machine-api-operator, with its vendored modules.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	apifeatures "github.com/openshift/api/features"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"github.com/openshift/library-go/pkg/features"
	"github.com/openshift/machine-api-operator/pkg/controller"
	"github.com/openshift/machine-api-operator/pkg/controller/machine"
	"github.com/openshift/machine-api-operator/pkg/controller/machinehealthcheck"
	"github.com/openshift/machine-api-operator/pkg/controller/machineset"
	"github.com/openshift/machine-api-operator/pkg/controller/nodelink"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type address struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

type instance struct {
	ProviderID     string            `json:"providerID"`
	State          string            `json:"state"`
	Addresses      []address         `json:"addresses"`
	Labels         map[string]string `json:"labels"`
	ProviderStatus json.RawMessage   `json:"providerStatus"`
}

type answer struct {
	Instance            *instance `json:"instance"`
	Exists              bool      `json:"exists"`
	RequeueAfterSeconds float64   `json:"requeueAfterSeconds"`
	Error               *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"error"`
}

type actuator struct {
	client client.Client
	url    string
}

func (a *actuator) ask(ctx context.Context, operation string, m *machinev1.Machine) (*answer, error) {
	body, err := json.Marshal(map[string]any{"operation": operation, "machine": m})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the provider answered %d", response.StatusCode)
	}
	found := &answer{}
	if err := json.NewDecoder(response.Body).Decode(found); err != nil {
		return nil, err
	}
	if found.Error != nil {
		if found.Error.Reason == "" {
			return nil, fmt.Errorf("%s", found.Error.Message)
		}
		return nil, &machine.MachineError{Reason: machinev1.MachineStatusError(found.Error.Reason), Message: found.Error.Message}
	}
	if found.RequeueAfterSeconds > 0 {
		return nil, &machine.RequeueAfterError{RequeueAfter: time.Duration(found.RequeueAfterSeconds * float64(time.Second))}
	}
	return found, nil
}

func (a *actuator) write(ctx context.Context, m *machinev1.Machine, found *instance) error {
	if found == nil {
		return nil
	}
	before := m.DeepCopy()
	if found.ProviderID != "" {
		m.Spec.ProviderID = &found.ProviderID
	}
	if found.State != "" {
		if m.Annotations == nil {
			m.Annotations = map[string]string{}
		}
		m.Annotations[machine.MachineInstanceStateAnnotationName] = found.State
	}
	for key, value := range found.Labels {
		m.Labels[key] = value
	}
	conditions := m.Status.Conditions
	if err := a.client.Patch(ctx, m, client.MergeFrom(before)); err != nil {
		return err
	}
	m.Status.Conditions = conditions
	before = m.DeepCopy()
	if found.Addresses != nil {
		m.Status.Addresses = nil
		for _, one := range found.Addresses {
			m.Status.Addresses = append(m.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(one.Type), Address: one.Address})
		}
	}
	if found.ProviderStatus != nil {
		m.Status.ProviderStatus = &runtime.RawExtension{Raw: found.ProviderStatus}
	}
	err := a.client.Status().Patch(ctx, m, client.MergeFrom(before))
	m.Status.Conditions = conditions
	return err
}

func (a *actuator) Create(ctx context.Context, m *machinev1.Machine) error {
	found, err := a.ask(ctx, "create", m)
	if err != nil {
		return err
	}
	return a.write(ctx, m, found.Instance)
}

func (a *actuator) Update(ctx context.Context, m *machinev1.Machine) error {
	found, err := a.ask(ctx, "update", m)
	if err != nil {
		return err
	}
	return a.write(ctx, m, found.Instance)
}

func (a *actuator) Delete(ctx context.Context, m *machinev1.Machine) error {
	_, err := a.ask(ctx, "delete", m)
	return err
}

func (a *actuator) Exists(ctx context.Context, m *machinev1.Machine) (bool, error) {
	found, err := a.ask(ctx, "exists", m)
	if err != nil {
		return false, err
	}
	return found.Exists, nil
}

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	gates := feature.DefaultMutableFeatureGate
	if _, err := features.NewFeatureGateOptions(gates, 4, apifeatures.SelfManaged, apifeatures.FeatureGateMachineAPIMigration); err != nil {
		log.Fatal(err)
	}
	options := manager.Options{Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0"}
	mgr, err := manager.New(config.GetConfigOrDie(), options)
	if err != nil {
		log.Fatal(err)
	}
	for _, install := range []func(*runtime.Scheme) error{configv1.Install, machinev1.Install} {
		if err := install(mgr.GetScheme()); err != nil {
			log.Fatal(err)
		}
	}
	provider := &actuator{client: mgr.GetClient(), url: os.Getenv("ACTUATOR_URL")}
	if err := machine.AddWithActuator(mgr, provider, gates); err != nil {
		log.Fatal(err)
	}
	if err := controller.AddToManagerWithFeatureGates(mgr, options, gates, machineset.Add); err != nil {
		log.Fatal(err)
	}
	if err := controller.AddToManager(mgr, options, machinehealthcheck.Add, nodelink.Add); err != nil {
		log.Fatal(err)
	}
	log.Fatal(mgr.Start(ctrl.SetupSignalHandler()))
}
