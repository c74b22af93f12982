import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../../../src/base/index.ts';
import { labelValueProblems } from '../../../../src/schema/index.ts';
import { numberAt, textsAt } from '../../../core/index.ts';
import { isWhole } from '../../../schema/index.ts';
import { addressWarnings } from '../addresses.ts';
import { claimSpecWarnings } from '../claim-spec.ts';
import { appArmorPrefix, seccompAnnotation, seccompPrefix } from './annotations.ts';
import { portWarnings } from './port-warnings.ts';
import { overlapWarnings } from './volume-overlaps.ts';
import { containersWithPaths } from './windows.ts';

const oldNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** Why a label of nodes should not be used any more; undefined for all others. */
function oldNodeLabelText(key: string): string | undefined {
  return Object.hasOwn(oldNodeLabels, key) ? oldNodeLabels[key] : undefined;
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeTermWarnings(term: JsonObject | undefined, path: string, checksValues: boolean): string[] {
  return objectsAt(term, 'matchExpressions').flatMap((expression, index) => {
    const key = textAt(expression, 'key');
    const at = `${path}.matchExpressions[${index}]`;
    const text = oldNodeLabelText(key);
    const warnings = text === undefined ? [] : [`${at}.key: ${key} is ${text}`];
    if (!checksValues) return warnings;
    const ofValues = listOfTexts(expression, 'values').flatMap((value, number) =>
      labelValueProblems(value).map((problem) => `${at}.values[${number}]: ${value} is invalid, ${problem}`),
    );
    return [...warnings, ...ofValues];
  });
}

function nodeWarnings(spec: JsonObject, path: string): string[] {
  const ofSelector = Object.keys(objectAt(spec, 'nodeSelector') ?? {}).flatMap((key) => {
    const text = oldNodeLabelText(key);
    return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`];
  });
  const affinity = objectAt(spec, 'affinity', 'nodeAffinity');
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...ofSelector,
    ...objectsAt(objectAt(affinity, required), 'nodeSelectorTerms').flatMap((term, index) =>
      nodeTermWarnings(term, `${at}.${required}.nodeSelectorTerms[${index}]`, false),
    ),
    ...objectsAt(affinity, preferred).flatMap((term, index) =>
      nodeTermWarnings(objectAt(term, 'preference'), `${at}.${preferred}[${index}].preference`, true),
    ),
  ];
}

const nullSelector = 'a null labelSelector results in matching no pod';

function spreadWarnings(spec: JsonObject, path: string): string[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const key = textAt(constraint, 'topologyKey');
    const text = oldNodeLabelText(key);
    const warnings = text === undefined ? [] : [`${at}.topologyKey: ${key} is ${text}`];
    if (objectAt(constraint, 'labelSelector') === undefined) warnings.push(`${at}.labelSelector: ${nullSelector}`);
    return warnings;
  });
}

const deadAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

const oldVolumes: readonly (readonly [string, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(spec: JsonObject, path: string): string[] {
  return objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const old = oldVolumes.filter(([key]) => objectAt(volume, key) !== undefined);
    const claim = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
    return [
      ...old.map(([, word, text]) => `${at}.${word}: ${text}`),
      ...(claim === undefined ? [] : claimSpecWarnings(claim, `${at}.ephemeral.volumeClaimTemplate.spec`)),
    ];
  });
}

function duplicates(spec: JsonObject, path: string, place: readonly [list: string, key: string]): string[] {
  const [list, key] = place;
  const seen = new Set<string>();
  return objectsAt(spec, list).flatMap((item, index) => {
    const text = textAt(item, key);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew ? [] : [`${path}.${list}[${index}].${key}: duplicate ${key} ${JSON.stringify(text)}`];
  });
}

function emptyNames(spec: JsonObject, path: string): string[] {
  return objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) =>
    textAt(secret, 'name') === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
  );
}

const byteResources = ['memory', 'ephemeral-storage'];

function fractionWarnings(amounts: Readonly<Record<string, string>>, path: string, name: string): string[] {
  const amount = amounts[name];
  if (amount === undefined || isWhole(amount)) return [];
  return [`${path}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
}

function hidesPrevious(variable: JsonObject): boolean {
  const reference = `$(${textAt(variable, 'name')})`;
  const value = textAt(variable, 'value');
  return objectAt(variable, 'valueFrom') !== undefined || value === reference || !value.includes(reference);
}

function environmentWarnings(container: JsonObject, path: string): string[] {
  const seen = new Set<string>();
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const name = textAt(variable, 'name');
    const isNew = !seen.has(name);
    seen.add(name);
    if (isNew || !hidesPrevious(variable)) return [];
    const shown = JSON.stringify(name);
    return [`${path}.env[${index}]: hides previous definition of ${shown}, which may be dropped when using apply`];
  });
}

function containerWarnings(container: JsonObject, path: string): string[] {
  const amounts = byteResources.flatMap((name) =>
    ['limits', 'requests'].flatMap((kind) =>
      fractionWarnings(textsAt(container, 'resources', kind), `${path}.resources.${kind}`, name),
    ),
  );
  return [...amounts, ...environmentWarnings(container, path)];
}

interface ProfilePlace {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  readonly metaPath: string;
}

function profileWarnings(container: JsonObject, { annotations, spec, metaPath }: ProfilePlace): string[] {
  const name = textAt(container, 'name');
  const warnings: string[] = [];
  const [seccomp, appArmor] = [`${seccompPrefix}${name}`, `${appArmorPrefix}${name}`];
  if (annotations[seccomp] !== undefined && objectAt(container, 'securityContext', 'seccompProfile') === undefined) {
    warnings.push(`${metaPath}[${seccomp}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  const isTemplate = metaPath !== 'metadata.annotations';
  const profile =
    objectAt(spec, 'securityContext', 'appArmorProfile') ?? objectAt(container, 'securityContext', 'appArmorProfile');
  if (isTemplate && annotations[appArmor] !== undefined && profile === undefined) {
    warnings.push(`${metaPath}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
  return warnings;
}

function annotationWarnings(place: ProfilePlace): string[] {
  const { annotations, metaPath } = place;
  return Object.entries(deadAnnotations).flatMap(([key, text]) =>
    annotations[key] === undefined ? [] : [`${metaPath}[${key}]: ${text}`],
  );
}

function podProfileWarnings({ annotations, spec, metaPath }: ProfilePlace): string[] {
  const profile = objectAt(spec, 'securityContext', 'seccompProfile');
  if (annotations[seccompAnnotation] === undefined || profile !== undefined) return [];
  return [`${metaPath}[${seccompAnnotation}]: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

function selectorWarnings(spec: JsonObject, path: string): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(spec, 'affinity', kind);
    const at = `${path}.affinity.${kind}`;
    const lacks = (term: JsonObject | undefined): boolean => objectAt(term, 'labelSelector') === undefined;
    return [
      ...objectsAt(affinity, required).flatMap((term, index) =>
        lacks(term) ? [`${at}.${required}[${index}].labelSelector: ${nullSelector}`] : [],
      ),
      ...objectsAt(affinity, preferred).flatMap((term, index) =>
        lacks(objectAt(term, 'podAffinityTerm'))
          ? [`${at}.${preferred}[${index}].podAffinityTerm.labelSelector: ${nullSelector}`]
          : [],
      ),
    ];
  });
}

function graceWarnings(spec: JsonObject, path: string): string[] {
  const seconds = numberAt(spec, 'terminationGracePeriodSeconds') ?? 0;
  const text = 'must be >= 0; negative values are invalid and will be treated as 1';
  return seconds < 0 ? [`${path}.terminationGracePeriodSeconds: ${text}`] : [];
}

function addressesWarnings(spec: JsonObject, path: string): string[] {
  return [
    ...listOfTexts(objectAt(spec, 'dnsConfig'), 'nameservers').flatMap((address, index) =>
      addressWarnings(address, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...objectsAt(spec, 'hostAliases').flatMap((alias, index) =>
      addressWarnings(textAt(alias, 'ip'), `${path}.hostAliases[${index}].ip`),
    ),
  ];
}

/** What a pod, or a template of one (at `prefix`, such as `spec.template.`), should not have but may. In the order of kube-apiserver. */
export function podWarnings(template: JsonObject | undefined, prefix: string): string[] {
  const spec = objectAt(template, 'spec') ?? {};
  const path = `${prefix}spec`;
  const place = {
    annotations: textsAt(template, 'metadata', 'annotations'),
    spec,
    metaPath: `${prefix}metadata.annotations`,
  };
  const overhead = textsAt(spec, 'overhead');
  const containers = containersWithPaths(spec, path);
  return [
    ...nodeWarnings(spec, path),
    ...spreadWarnings(spec, path),
    ...annotationWarnings(place),
    ...volumeWarnings(spec, path),
    ...overlapWarnings(spec),
    ...duplicates(spec, path, ['hostAliases', 'ip']),
    ...duplicates(spec, path, ['imagePullSecrets', 'name']),
    ...emptyNames(spec, path),
    ...byteResources.flatMap((name) => fractionWarnings(overhead, `${path}.overhead`, name)),
    ...podProfileWarnings(place),
    ...containers.flatMap(([container, at]) => [
      ...profileWarnings(container, place),
      ...containerWarnings(container, at),
    ]),
    ...portWarnings(containers),
    ...graceWarnings(spec, path),
    ...selectorWarnings(spec, path),
    ...addressesWarnings(spec, path),
  ];
}
