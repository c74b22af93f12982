import { type JsonObject, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import { dns1035LabelProblems, type FieldError } from '../../../src/schema/index.ts';
import {
  asJson,
  countAt,
  invalid,
  type KindRules,
  type KubeObject,
  numberAt,
  setDefaults,
  specOf,
} from '../../core/index.ts';
import { addressWarnings } from './addresses.ts';
import { allocateForCreate, allocateForUpdate, dropUnused } from './service-allocation.ts';
import { isBalanced, isNamed, isReachableFromOutside } from './service-fields.ts';
import { balancerStatusErrors, serviceWarnings, validateService, validateServiceChange } from './service-validation.ts';

const affinitySeconds = 10_800;

function defaultAffinity(spec: JsonObject): void {
  setDefaults(spec, { sessionAffinity: 'None' });
  const affinity = textAt(spec, 'sessionAffinity');
  if (affinity === 'None') delete spec['sessionAffinityConfig'];
  const hasTimeout = numberAt(objectAt(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds') !== undefined;
  if (affinity === 'ClientIP' && !hasTimeout) {
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
}

function defaultService(object: KubeObject): void {
  const spec = specOf(object);
  defaultAffinity(spec);
  setDefaults(spec, { type: 'ClusterIP' });
  for (const port of objectsAt(spec, 'ports')) defaultPort(port);
  defaultTraffic(spec);
  if (!isBalanced(spec)) return;
  setDefaults(spec, { allocateLoadBalancerNodePorts: true });
  for (const point of pointsOf(object)) if (textAt(point, 'ip') !== '') setDefaults(point, { ipMode: 'VIP' });
}

function defaultPort(port: JsonObject): void {
  const number = countAt(port, 'port');
  setDefaults(port, { protocol: 'TCP', targetPort: number });
  if (port['targetPort'] === 0) port['targetPort'] = number;
  if (port['nodePort'] === 0) delete port['nodePort'];
}

function defaultTraffic(spec: JsonObject): void {
  if (isReachableFromOutside(spec)) setDefaults(spec, { externalTrafficPolicy: 'Cluster' });
  const isInside = ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(textAt(spec, 'type'));
  if (isInside) setDefaults(spec, { internalTrafficPolicy: 'Cluster' });
  if (isNamed(spec)) delete spec['internalTrafficPolicy'];
}

function pointsOf(object: KubeObject): JsonObject[] {
  return objectsAt(objectAt(asJson(object), 'status', 'loadBalancer'), 'ingress');
}

function refuse(object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, object.metadata.name ?? '', errors);
}

/** Addresses are allocated before anything else is validated: a PUT that leaves out what was given at creation keeps it, and a change of type
 *  gives back what the new type has not. */
const lifecycle: KindRules = {
  prepareForCreate: (object, view) => {
    refuse(object, allocateForCreate(specOf(object), view));
    asJson(object)['status'] = { loadBalancer: {} };
  },
  prepareForUpdate: (object, old, view) => {
    const [spec, before] = [specOf(object), objectAt(asJson(old), 'spec') ?? {}];
    refuse(object, allocateForUpdate(spec, before, view));
    dropUnused(spec, before);
    const isSame = textAt(spec, 'externalTrafficPolicy') === textAt(before, 'externalTrafficPolicy');
    if (isReachableFromOutside(before) && !isReachableFromOutside(spec) && isSame) delete spec['externalTrafficPolicy'];
    if (!isBalanced(spec)) asJson(object)['status'] = { ...statusOf(object), loadBalancer: {} };
  },
};

function statusOf(object: KubeObject): JsonObject {
  return objectAt(asJson(object), 'status') ?? {};
}

/** Services: addresses and node ports given out, kept on PUT, checked.
 *  @see docs/spec/kube-api-types.md#defaults-by-kind, docs/spec/kube-api-types.md#validation-rules, docs/spec/kube-api-types.md#registry-behaviours */
export const serviceRules: KindRules = {
  ...lifecycle,
  applyDefaults: defaultService,
  validate: (object) => validateService(object, undefined),
  validateChange: (object, old) => [...validateServiceChange(object, old), ...validateService(object, old)],
  validateStatus: (object) => balancerStatusErrors(statusOf(object), specOf(object)),
  warnings: serviceWarnings,
  statusWarnings: (object) =>
    pointsOf(object).flatMap((point, index) =>
      addressWarnings(textAt(point, 'ip'), `status.loadBalancer.ingress[${index}]`),
    ),
  nameProblems: dns1035LabelProblems,
  selectableFields: {
    'spec.clusterIP': (object) => textAt(specOf(object), 'clusterIP'),
    'spec.type': (object) => textAt(specOf(object), 'type'),
  },
};
