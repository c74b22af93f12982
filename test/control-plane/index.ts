/** A real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager) for tests and benchmarks that compare with it. */
export { type ControlPlaneBinaries, findControlPlane, type NoBinaries, oracleVersion } from './binaries.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './start.ts';
