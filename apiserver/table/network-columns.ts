import type { JsonValue } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { age, column, labelsColumn, selectorColumn, textColumn } from './columns.ts';
import { at, firstThree, listAt, numberAt, textAt } from './object-values.ts';

const maxAddressLength = 16;

function ingressPoints(object: KubeObject): string {
  const points = listAt(object, 'status', 'loadBalancer', 'ingress');
  return [...new Set(points.map((point) => textAt(point, 'ip') || textAt(point, 'hostname')))].sort().join(',');
}

function loadBalancerAddress(service: KubeObject): string {
  const external = listAt(service, 'spec', 'externalIPs').map(String);
  const points = ingressPoints(service);
  const shown = points.length > maxAddressLength ? `${points.slice(0, maxAddressLength - 3)}...` : points;
  return [...(points === '' ? [] : [shown]), ...external].join(',') || '<pending>';
}

function externalAddress(service: KubeObject): string {
  switch (textAt(service, 'spec', 'type')) {
    case 'LoadBalancer':
      return loadBalancerAddress(service);
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return listAt(service, 'spec', 'externalIPs').map(String).join(',') || '<none>';
  }
}

function servicePort(port: JsonValue): string {
  const node = numberAt(port, 'nodePort');
  return `${numberAt(port, 'port')}${node > 0 ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
}

function ingressHosts(ingress: KubeObject): string {
  const hosts = listAt(ingress, 'spec', 'rules').map((rule) => textAt(rule, 'host') || '*');
  return hosts.length === 0 ? '*' : firstThree(hosts);
}

function endpointsText(endpoints: KubeObject): string {
  const pairs = listAt(endpoints, 'subsets').flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = listAt(subset, 'ports').map((port) => numberAt(port, 'port'));
    return ports.length === 0 ? addresses : ports.flatMap((port) => addresses.map((ip) => `${ip}:${port}`));
  });
  return firstThree(pairs);
}

function unlessEmpty(items: readonly string[]): string {
  return items.length === 0 ? '<unset>' : firstThree(items);
}

function parametersText(ingressClass: KubeObject): string {
  const parameters = at(ingressClass, 'spec', 'parameters');
  if (parameters === undefined) return '<none>';
  const group = textAt(parameters, 'apiGroup');
  return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`;
}

function parentText(address: KubeObject): string {
  const path = ['group', 'resource', 'namespace', 'name'].map((name) => textAt(address, 'spec', 'parentRef', name));
  return path.filter(Boolean).join('/');
}

/** Columns after Name, by `group/Kind`, of what connects pods. */
export const networkColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  '/Service': [
    textColumn('Type', ['spec', 'type']),
    textColumn('Cluster-IP', ['spec', 'clusterIP'], '<none>'),
    column('External-IP', externalAddress),
    column('Port(s)', (object) => listAt(object, 'spec', 'ports').map(servicePort).join(',') || '<none>'),
    age,
    labelsColumn('Selector*', ['spec', 'selector']),
  ],
  '/Endpoints': [column('Endpoints', endpointsText), age],
  'discovery.k8s.io/EndpointSlice': [
    textColumn('AddressType', ['addressType']),
    column('Ports', (object) => unlessEmpty(listAt(object, 'ports').map((port) => textAt(port, 'port') || '*'))),
    column('Endpoints', (object) =>
      unlessEmpty(listAt(object, 'endpoints').flatMap((endpoint) => listAt(endpoint, 'addresses').map(String))),
    ),
    age,
  ],
  'networking.k8s.io/Ingress': [
    textColumn('Class', ['spec', 'ingressClassName'], '<none>'),
    column('Hosts', ingressHosts),
    column('Address', ingressPoints),
    column('Ports', (object) => (listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    age,
  ],
  'networking.k8s.io/IngressClass': [
    textColumn('Controller', ['spec', 'controller']),
    column('Parameters', parametersText),
    age,
  ],
  'networking.k8s.io/IPAddress': [column('ParentRef', parentText)],
  'networking.k8s.io/ServiceCIDR': [
    column('CIDRs', (object) => listAt(object, 'spec', 'cidrs').map(String).join(',')),
    age,
  ],
  'networking.k8s.io/NetworkPolicy': [selectorColumn('Pod-Selector', ['spec', 'podSelector']), age],
};
