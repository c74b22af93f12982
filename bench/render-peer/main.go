// Command render-bench renders bundles with the reference renderer, in as many goroutines as the first argument names, so often as the second one
// names, and prints what that took. Jobs come as JSON on standard input. It is built within the module of operator-controller, whose renderer is internal.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/bundle/source"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/certproviders"
	"github.com/operator-framework/operator-controller/internal/operator-controller/rukpak/render/registryv1"
)

type job struct {
	Path             string
	InstallNamespace string
	TargetNamespaces []string
}

type totals struct {
	Renderings int     `json:"renderings"`
	CPUMs      float64 `json:"cpuMs"`
	WallMs     float64 `json:"wallMs"`
	PeakBytes  int64   `json:"peakBytes"`
}

func renderOne(j job) error {
	bundle, err := source.FromFS(os.DirFS(j.Path)).GetBundle()
	if err != nil {
		return err
	}
	objects, err := registryv1.Renderer.Render(bundle, j.InstallNamespace,
		render.WithTargetNamespaces(j.TargetNamespaces...),
		render.WithCertificateProvider(certproviders.CertManagerCertificateProvider{}))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if _, err := json.Marshal(object); err != nil {
			return err
		}
	}
	return nil
}

func milliseconds(t syscall.Timeval) float64 {
	return float64(t.Sec)*1000 + float64(t.Usec)/1000
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	started := time.Now()
	workers, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err)
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fail(err)
	}
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fail(err)
	}
	queue := make(chan job)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for j := range queue {
				if err := renderOne(j); err != nil {
					fail(fmt.Errorf("%s: %w", j.Path, err))
				}
			}
		})
	}
	for range rounds {
		for _, j := range jobs {
			queue <- j
		}
	}
	close(queue)
	group.Wait()
	wall := time.Since(started)
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	result := totals{
		Renderings: len(jobs) * rounds,
		CPUMs:      milliseconds(usage.Utime) + milliseconds(usage.Stime),
		WallMs:     float64(wall.Microseconds()) / 1000,
		PeakBytes:  usage.Maxrss * 1024,
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}
