import { isTrueAt, type JsonObject, objectAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
} from '../../../../src/schema/index.ts';
import { labelErrors, numberAt, textsAt } from '../../../core/index.ts';
import { choice, greatestInt32, invalids, rangeText, requiredChoice } from '../checks.ts';
import { containerErrors, ephemeralContainerErrors, initContainerErrors, type PodFacts } from './containers.ts';
import { dnsConfigErrors, hostAliasErrors, hostNetworkErrors } from './network.ts';
import { resourceErrors } from './resources.ts';
import {
  affinityErrors,
  readinessGateErrors,
  schedulingGateErrors,
  spreadErrors,
  tolerationErrors,
} from './scheduling.ts';
import { podSecurityErrors } from './security.ts';
import { volumeErrors } from './volumes.ts';
import { hostProcessErrors, systemErrors } from './windows.ts';

/** Where a pod spec stands. */
export interface SpecPlace {
  readonly path: string;
  /** The pod itself, not a template of one. */
  readonly isPod: boolean;
  /** Empty in templates. */
  readonly podName: string;
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

function sharesUsers(spec: JsonObject): boolean {
  return valueAt(spec, 'hostUsers') !== false;
}

function hostUserErrors(spec: JsonObject, path: string): FieldError[] {
  if (sharesUsers(spec)) return [];
  const words = { hostNetwork: 'hostNetwork', hostPID: 'HostPID', hostIPC: 'HostIPC' };
  const given = Object.entries(words).filter(([key]) => isTrueAt(spec, key));
  return given.map(([, word]) => forbiddenField(`${path}.${word}`, 'when `pod.Spec.HostUsers` is false'));
}

function deadlineErrors(spec: JsonObject, path: string): FieldError[] {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline === undefined || (deadline >= 1 && deadline <= greatestInt32)) return [];
  return [invalidField(`${path}.activeDeadlineSeconds`, deadline, rangeText(1, greatestInt32))];
}

/** Texts that are names, in the order in which they are looked at. */
const accountNames = { serviceAccountName: dns1123SubdomainProblems, nodeName: dns1123SubdomainProblems };
const hostNames = { hostname: dns1123LabelProblems, subdomain: dns1123LabelProblems };
const className = { priorityClassName: dns1123SubdomainProblems };

function nameErrors(
  spec: JsonObject,
  path: string,
  rules: Readonly<Record<string, (name: string) => string[]>>,
): FieldError[] {
  return Object.entries(rules).flatMap(([key, problems]) => {
    const name = textAt(spec, key);
    return name === '' ? [] : invalids(`${path}.${key}`, name, problems(name));
  });
}

function runtimeErrors(spec: JsonObject, path: string): FieldError[] {
  const name = valueAt(spec, 'runtimeClassName');
  const overhead = objectAt(spec, 'overhead');
  return [
    ...(typeof name === 'string' ? invalids(`${path}.runtimeClassName`, name, dns1123SubdomainProblems(name)) : []),
    ...preemptionErrors(spec, path),
    ...(overhead === undefined ? [] : resourceErrors({ limits: overhead }, `${path}.overhead`)),
  ];
}

function preemptionErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = valueAt(spec, 'preemptionPolicy');
  if (policy === '') return [requiredField(`${path}.preemptionPolicy`)];
  return choice(`${path}.preemptionPolicy`, policy, ['PreemptLowerPriority', 'Never']);
}

function containersErrors(spec: JsonObject, { path, isPod, podName }: SpecPlace): FieldError[] {
  const { errors, volumes } = volumeErrors(spec, path, podName);
  const pod: PodFacts = {
    volumes,
    graceSeconds: numberAt(spec, 'terminationGracePeriodSeconds'),
    restartPolicy: textAt(spec, 'restartPolicy'),
    sharesUsers: sharesUsers(spec),
  };
  return [
    ...errors,
    ...containerErrors(spec, path, pod),
    ...initContainerErrors(spec, path, pod),
    ...ephemeralContainerErrors(spec, path, pod),
    ...hostNetworkErrors(spec, path, isPod),
  ];
}

function placingErrors(spec: JsonObject, path: string): FieldError[] {
  return [
    ...affinityErrors(spec, path),
    ...dnsConfigErrors(spec, path),
    ...readinessGateErrors(spec, path),
    ...schedulingGateErrors(spec, path),
    ...spreadErrors(spec, path),
  ];
}

/** Errors of a PodSpec, defaulted, in the order in which kube-apiserver finds them.
 *  @see docs/spec/kube-api-types.md#pod-template */
export function podSpecErrors(spec: JsonObject, place: SpecPlace): FieldError[] {
  const { path } = place;
  return [
    ...containersErrors(spec, place),
    ...requiredChoice(`${path}.restartPolicy`, textAt(spec, 'restartPolicy'), restartPolicies),
    ...requiredChoice(`${path}.dnsPolicy`, textAt(spec, 'dnsPolicy'), dnsPolicies),
    ...labelErrors(textsAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...podSecurityErrors(spec, path),
    ...placingErrors(spec, path),
    ...hostProcessErrors(spec, path),
    ...hostUserErrors(spec, path),
    ...nameErrors(spec, path, accountNames),
    ...deadlineErrors(spec, path),
    ...nameErrors(spec, path, hostNames),
    ...tolerationErrors(spec, path),
    ...hostAliasErrors(spec, path),
    ...nameErrors(spec, path, className),
    ...runtimeErrors(spec, path),
    ...systemErrors(spec, path),
  ];
}
