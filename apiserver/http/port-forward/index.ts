/** Port-forward: what a client sends to a port of a pod goes to a program of this machine that is registered for the pod. Main exports: `serveTunnel`,
 *  `PodPorts`. Never connects to an address that is written in the cluster. */
export { serveTunnel, type TunnelTarget } from './forwarder.ts';
export { type LocalAddress, PodPorts } from './pod-ports.ts';
export { PortForwardLimits } from './port-forward-limits.ts';
export { upgradeToTunnel } from './upgrade.ts';
