// Runs the controllers of the machine-config-operator that conformance compares with: render, node and drain, with all feature gates off.
// Built inside a checkout of github.com/openshift/machine-config-operator, whose vendored modules it uses.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	configclient "github.com/openshift/client-go/config/clientset/versioned"
	configinformers "github.com/openshift/client-go/config/informers/externalversions"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	operatorclient "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	ctrlcommon "github.com/openshift/machine-config-operator/pkg/controller/common"
	"github.com/openshift/machine-config-operator/pkg/controller/drain"
	"github.com/openshift/machine-config-operator/pkg/controller/node"
	"github.com/openshift/machine-config-operator/pkg/controller/render"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const delay = 300 * time.Millisecond

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A second of a drain stands for a minute.
func drainConfig() drain.Config {
	return drain.Config{
		MaxRetries:                   15,
		UpdateDelay:                  delay,
		DrainTimeoutDuration:         60 * time.Second,
		DrainRequeueDelay:            time.Second,
		DrainRequeueFailingThreshold: 10 * time.Second,
		DrainRequeueFailingDelay:     5 * time.Second,
		DrainHelperTimeout:           1500 * time.Millisecond,
		CordonOrUncordonBackoff:      wait.Backoff{Steps: 5, Duration: 50 * time.Millisecond, Factor: 2},
		WaitUntil:                    50 * time.Millisecond,
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "cluster to work on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	must(err)
	config.QPS, config.Burst = 200, 400
	kube := kubernetes.NewForConfigOrDie(config)
	mcfg := mcfgclient.NewForConfigOrDie(config)
	cfg := configclient.NewForConfigOrDie(config)
	operator := operatorclient.NewForConfigOrDie(config)
	kubes := informers.NewSharedInformerFactory(kube, 0)
	mcfgs := mcfginformers.NewSharedInformerFactory(mcfg, 0)
	cfgs := configinformers.NewSharedInformerFactory(cfg, 0)
	operators := operatorinformers.NewSharedInformerFactory(operator, 0)
	gates := ctrlcommon.NewFeatureGatesHardcodedHandler(nil, []configv1.FeatureGateName{
		"OSStreams", "ImageModeStatusReporting", "IrreconcilableMachineConfig", "PinnedImages",
	})
	m := mcfgs.Machineconfiguration().V1()
	secrets := kubes.Core().V1().Secrets()
	renderer := render.New(
		m.MachineConfigPools(), m.MachineConfigs(), m.ControllerConfigs(), m.ContainerRuntimeConfigs(), m.KubeletConfigs(),
		operators.Operator().V1().MachineConfigurations(), m.OSImageStreams(), secrets,
		operators.Operator().V1alpha1().ImageContentSourcePolicies(),
		cfgs.Config().V1().ImageDigestMirrorSets(), cfgs.Config().V1().ImageTagMirrorSets(), cfgs.Config().V1().Images(),
		kube, mcfg, gates, nil,
	)
	nodes := node.NewWithCustomUpdateDelay(
		m.ControllerConfigs(), m.MachineConfigs(), m.MachineConfigPools(), kubes.Core().V1().Nodes(), kubes.Core().V1().Pods(),
		m.MachineOSConfigs(), m.MachineOSBuilds(), m.MachineConfigNodes(),
		cfgs.Config().V1().Schedulers(), operators.Operator().V1().MachineConfigurations(), m.OSImageStreams(),
		cfgs.Config().V1().Infrastructures(), kube, mcfg, delay, gates,
	)
	drains := drain.New(drainConfig(), kubes.Core().V1().Nodes(), m.MachineConfigPools(), kube, mcfg, gates)
	kubes.Start(ctx.Done())
	mcfgs.Start(ctx.Done())
	cfgs.Start(ctx.Done())
	operators.Start(ctx.Done())
	go renderer.Run(ctx, 2)
	go nodes.Run(ctx, 2)
	go drains.Run(ctx, 5)
	<-ctx.Done()
}
