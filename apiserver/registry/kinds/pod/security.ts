import {
  isTrueAt,
  type JsonObject,
  type JsonValue,
  listAt,
  listOfTexts,
  objectAt,
  textAt,
  valueAt,
} from '../../../../src/base/index.ts';
import {
  duplicateField,
  type FieldError,
  type GoValue,
  goLiteral,
  goPointer,
  invalidField,
  requiredField,
  tooLongField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { choice, each, greatestInt32, invalids, rangeProblems } from '../checks.ts';
import { descendingPathErrors } from './paths.ts';
import { windowsErrors } from './windows.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const longestProfile = 4095;

/** The fields of Go's struct of a security context: name here, name there, type. */
const contextFields = [
  ['capabilities', 'Capabilities', 'core.Capabilities'],
  ['privileged', 'Privileged', 'bool'],
  ['seLinuxOptions', 'SELinuxOptions', 'core.SELinuxOptions'],
  ['windowsOptions', 'WindowsOptions', 'core.WindowsSecurityContextOptions'],
  ['runAsUser', 'RunAsUser', 'int64'],
  ['runAsGroup', 'RunAsGroup', 'int64'],
  ['runAsNonRoot', 'RunAsNonRoot', 'bool'],
  ['readOnlyRootFilesystem', 'ReadOnlyRootFilesystem', 'bool'],
  ['allowPrivilegeEscalation', 'AllowPrivilegeEscalation', 'bool'],
  ['procMount', 'ProcMount', 'core.ProcMountType'],
  ['seccompProfile', 'SeccompProfile', 'core.SeccompProfile'],
  ['appArmorProfile', 'AppArmorProfile', 'core.AppArmorProfile'],
] as const;

function shownContext(context: JsonObject): GoValue {
  const fields = contextFields.map(
    ([key, name, type]) => `${name}:${goPointer(type, valueAt(context, key) !== undefined)}`,
  );
  return goLiteral(`core.SecurityContext{${fields.join(', ')}}`);
}

function shownProfile(type: string): GoValue {
  return goLiteral(`core.SeccompProfile{Type:${JSON.stringify(type)}, LocalhostProfile:${goPointer('string', true)}}`);
}

/** Errors of a user's or group's number; absent is fine. */
function idErrors(context: JsonObject, path: string, key: string): FieldError[] {
  const id = numberAt(context, key);
  return id === undefined ? [] : invalids(`${path}.${key}`, id, rangeProblems(id, 0, greatestInt32));
}

function profileTypeErrors(profile: JsonObject, path: string, name: string): FieldError[] {
  const type = textAt(profile, 'type');
  if (type === '') return [requiredField(`${path}.type`, `type is required when ${name} is set`)];
  return choice(`${path}.type`, type, profileTypes);
}

function seccompErrors(context: JsonObject, path: string): FieldError[] {
  const profile = objectAt(context, 'seccompProfile');
  if (profile === undefined) return [];
  const at = `${path}.seccompProfile`;
  const errors = profileTypeErrors(profile, at, 'seccompProfile');
  const [field, local] = [`${at}.localhostProfile`, valueAt(profile, 'localhostProfile')];
  if (textAt(profile, 'type') !== 'Localhost') {
    const text = 'can only be set when seccomp type is Localhost';
    return typeof local === 'string'
      ? [...errors, invalidField(field, shownProfile(textAt(profile, 'type')), text)]
      : errors;
  }
  if (typeof local === 'string') return [...errors, ...descendingPathErrors(field, local)];
  return [...errors, requiredField(field, 'must be set when seccomp type is Localhost')];
}

function localProfileErrors(field: string, local: JsonValue | undefined): FieldError[] {
  const required = requiredField(field, 'must be set when AppArmor type is Localhost');
  if (typeof local !== 'string') return [required];
  const errors: FieldError[] = [];
  if (local !== local.trim()) errors.push(invalidField(field, local, 'must not be padded with whitespace'));
  else if (local === '') errors.push(required);
  return local.length > longestProfile ? [...errors, tooLongField(field, longestProfile)] : errors;
}

/** Errors of the AppArmor profile of a pod or container. */
export function appArmorErrors(context: JsonObject, path: string): FieldError[] {
  const profile = objectAt(context, 'appArmorProfile');
  if (profile === undefined) return [];
  const at = `${path}.appArmorProfile`;
  const [type, local] = [textAt(profile, 'type'), valueAt(profile, 'localhostProfile')];
  if (type === 'Localhost') return localProfileErrors(`${at}.localhostProfile`, local);
  const wrong = profileTypeErrors(profile, at, 'appArmorProfile');
  if (wrong.length > 0 || typeof local !== 'string') return wrong;
  return [invalidField(`${at}.localhostProfile`, local, 'can only be set when AppArmor type is Localhost')];
}

function procMountErrors(context: JsonObject, path: string, sharesUsers: boolean): FieldError[] {
  const mount = valueAt(context, 'procMount');
  const field = `${path}.procMount`;
  const errors = choice(field, mount, ['Default', 'Unmasked']);
  if (mount !== 'Unmasked' || !sharesUsers) return errors;
  return [...errors, invalidField(field, mount, '`hostUsers` must be false to use `Unmasked`')];
}

function escalationErrors(context: JsonObject, path: string): FieldError[] {
  if (valueAt(context, 'allowPrivilegeEscalation') !== false) return [];
  const refuse = (text: string): FieldError =>
    invalidField(path, shownContext(context), `cannot set \`allowPrivilegeEscalation\` to false and ${text}`);
  const added = listOfTexts(objectAt(context, 'capabilities'), 'add').filter((name) => name === 'CAP_SYS_ADMIN');
  return [
    ...(isTrueAt(context, 'privileged') ? [refuse('`privileged` to true')] : []),
    ...added.map(() => refuse('`capabilities.Add` CAP_SYS_ADMIN')),
  ];
}

/** Errors of the security context of a container. */
export function containerSecurityErrors(container: JsonObject, path: string, sharesUsers: boolean): FieldError[] {
  const context = objectAt(container, 'securityContext');
  if (context === undefined) return [];
  const at = `${path}.securityContext`;
  return [
    ...idErrors(context, at, 'runAsUser'),
    ...idErrors(context, at, 'runAsGroup'),
    ...procMountErrors(context, at, sharesUsers),
    ...seccompErrors(context, at),
    ...escalationErrors(context, at),
    ...windowsErrors(context, at),
    ...appArmorErrors(context, at),
  ];
}

const sysctlForm = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const longestSysctl = 253;
const sysctlText = String.raw`must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;

const ipcSysctls = new Set(
  ['sem', 'shm', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced', 'msg', 'msgmax', 'msgmnb', 'msgmni'].map(
    (name) => `kernel.${name}`,
  ),
);

function hostSysctlErrors(name: string, field: string, spec: JsonObject): FieldError[] {
  const dotted = dottedSysctl(name);
  const refuse = (what: string): FieldError[] => [
    invalidField(field, name, `may not be specified when '${what}' is true`),
  ];
  if (isTrueAt(spec, 'hostNetwork') && dotted.startsWith('net.')) return refuse('hostNetwork');
  const isIpc = ipcSysctls.has(dotted) || dotted.startsWith('fs.mqueue.');
  return isTrueAt(spec, 'hostIPC') && isIpc ? refuse('hostIPC') : [];
}

/** Of the separators `.` and `/` the first one counts; the other is a part of a name. */
function dottedSysctl(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (character) => (character === '/' ? '.' : '/'));
}

function sysctlErrors(context: JsonObject, path: string, spec: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return each(context, { path, key: 'sysctls' }, (sysctl, at) => {
    const [name, field] = [textAt(sysctl, 'name'), `${at}.name`];
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(field));
    else if (name.length > longestSysctl || !sysctlForm.test(name)) errors.push(invalidField(field, name, sysctlText));
    else if (seen.has(name)) errors.push(duplicateField(field, name));
    seen.add(name);
    return [...errors, ...hostSysctlErrors(name, field, spec)];
  });
}

function groupErrors(context: JsonObject, path: string): FieldError[] {
  return listAt(context, 'supplementalGroups').flatMap((group, index) => {
    const id = typeof group === 'number' ? group : 0;
    return invalids(`${path}.supplementalGroups[${index}]`, id, rangeProblems(id, 0, greatestInt32));
  });
}

function sharedProcessErrors(spec: JsonObject, path: string): FieldError[] {
  if (!isTrueAt(spec, 'hostPID') || !isTrueAt(spec, 'shareProcessNamespace')) return [];
  const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [invalidField(`${path}.shareProcessNamespace`, true, text)];
}

function policyErrors(context: JsonObject, path: string): FieldError[] {
  const change = valueAt(context, 'seLinuxChangePolicy');
  const known = ['Recursive'];
  return [
    ...choice(`${path}.supplementalGroupsPolicy`, valueAt(context, 'supplementalGroupsPolicy'), ['Merge', 'Strict']),
    ...(typeof change === 'string' && !known.includes(change)
      ? [unsupportedField(`${path}.seLinuxChangePolicy`, change, known)]
      : []),
  ];
}

/** Errors of the security context of a pod, and of what stands beside it in the spec but belongs to it. */
export function podSecurityErrors(spec: JsonObject, path: string): FieldError[] {
  const context = objectAt(spec, 'securityContext');
  const at = `${path}.securityContext`;
  if (context === undefined) return sharedProcessErrors(spec, at);
  return [
    ...idErrors(context, at, 'fsGroup'),
    ...idErrors(context, at, 'runAsUser'),
    ...idErrors(context, at, 'runAsGroup'),
    ...groupErrors(context, at),
    ...sharedProcessErrors(spec, at),
    ...sysctlErrors(context, at, spec),
    ...choice(`${at}.fsGroupChangePolicy`, valueAt(context, 'fsGroupChangePolicy'), ['Always', 'OnRootMismatch']),
    ...seccompErrors(context, at),
    ...windowsErrors(context, at),
    ...appArmorErrors(context, at),
    ...policyErrors(context, at),
  ];
}
