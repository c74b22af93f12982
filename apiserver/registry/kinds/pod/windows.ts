import { isTrueAt, type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { invalids } from '../checks.ts';

const longestCredentials = 64 * 1024;
const longestDomain = 256;
const longestUser = 104;
const control = /\p{Cc}/u;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsDomain = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function domainProblems(domain: string): string[] {
  if (domain.length >= longestDomain)
    return [`runAsUserName's Domain length must be under ${longestDomain} characters`];
  return netBios.test(domain) || dnsDomain.test(domain)
    ? []
    : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"];
}

function accountProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > longestUser) {
    problems.push(`runAsUserName's User length must not be longer than ${longestUser} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

function userProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (control.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? domainProblems(parts[0] ?? '') : [];
  return [...domain, ...accountProblems(parts.at(-1) ?? '')];
}

function credentialProblems(text: string): string[] {
  if (text === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return Buffer.byteLength(text) > longestCredentials ? ['gmsaCredentialSpec size must be under 64 KiB'] : [];
}

const textRules: Readonly<Record<string, (text: string) => string[]>> = {
  gmsaCredentialSpecName: dns1123SubdomainProblems,
  gmsaCredentialSpec: credentialProblems,
  runAsUserName: userProblems,
};

/** Errors of `windowsOptions` of a pod or container. */
export function windowsErrors(context: JsonObject, path: string): FieldError[] {
  const options = objectAt(context, 'windowsOptions');
  if (options === undefined) return [];
  return Object.entries(textRules).flatMap(([key, problems]) => {
    const text = valueAt(options, key);
    return typeof text === 'string' ? invalids(`${path}.windowsOptions.${key}`, text, problems(text)) : [];
  });
}

/** The lists of containers in the order in which rules about all of them look at them. */
const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Every container of the spec with its path. */
export function containersWithPaths(spec: JsonObject, path: string): (readonly [JsonObject, string])[] {
  return lists.flatMap((list) =>
    objectsAt(spec, list).map((container, index) => [container, `${path}.${list}[${index}]`] as const),
  );
}

function hostProcessOf(parent: JsonObject): boolean | undefined {
  const value = valueAt(objectAt(parent, 'securityContext', 'windowsOptions'), 'hostProcess');
  return typeof value === 'boolean' ? value : undefined;
}

/** Errors of pods that run as processes of a Windows host: all of the containers do, or none. */
export function hostProcessErrors(spec: JsonObject, path: string): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const containers = containersWithPaths(spec, path);
  const errors = containers.flatMap(([container, at]) => {
    const own = hostProcessOf(container);
    if (ofPod === undefined || own === undefined || own === ofPod) return [];
    const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalidField(`${at}.securityContext.windowsOptions.hostProcess`, own, text)];
  });
  const count = containers.filter(([container]) => hostProcessOf(container) ?? ofPod ?? false).length;
  if (count === 0) return errors;
  if (count !== containers.length) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidField(path, '', text));
  }
  if (!isTrueAt(spec, 'hostNetwork')) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidField(`${path}.hostNetwork`, false, text));
  }
  return errors;
}

const notOnWindows = 'cannot be set for a windows pod';
/** In the order in which they are looked at: fields of the security context, and fields of the spec. */
const podFields = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const containerFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function isSet(spec: JsonObject, field: string): boolean {
  const [first = '', second] = field.split('.');
  if (second !== undefined) return (valueAt(objectAt(spec, first), second) ?? undefined) !== undefined;
  return first === 'hostPID' || first === 'hostIPC' ? isTrueAt(spec, first) : typeof valueAt(spec, first) === 'boolean';
}

function windowsPodErrors(spec: JsonObject, path: string): FieldError[] {
  const ofPod = podFields.filter((field) => isSet(spec, field)).map((field) => `${path}.${field}`);
  const ofContainers = containersWithPaths(spec, path).flatMap(([container, at]) =>
    containerFields
      .filter((field) => isSet(container, `securityContext.${field}`))
      .map((field) => `${at}.securityContext.${field}`),
  );
  return [...ofPod, ...ofContainers].map((field) => forbiddenField(field, notOnWindows));
}

function linuxPodErrors(spec: JsonObject, path: string): FieldError[] {
  const all = [[spec, path] as const, ...containersWithPaths(spec, path)];
  const wrong = all.filter(([parent]) => objectAt(parent, 'securityContext', 'windowsOptions') !== undefined);
  return wrong.map(([, at]) =>
    forbiddenField(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod'),
  );
}

/** Errors of `os`, and of what the other system has. */
export function systemErrors(spec: JsonObject, path: string): FieldError[] {
  const system = objectAt(spec, 'os');
  if (system === undefined) return [];
  const name = textAt(system, 'name');
  switch (name) {
    case '':
      return [requiredField(`${path}.os.name`, 'cannot be empty')];
    case 'linux':
      return linuxPodErrors(spec, path);
    case 'windows':
      return windowsPodErrors(spec, path);
    default:
      return [unsupportedField(`${path}.os`, name, ['linux', 'windows'])];
  }
}
