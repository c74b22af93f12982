import { type JsonObject, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  type FieldError,
  invalidField,
  qualifiedNameProblems,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { canonicalQuantity } from '../../../schema/index.ts';
import { invalids } from '../checks.ts';

/** Fields of a pod that environment variables may show. */
export const environmentFields: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields of a pod that files of a downward API volume may show. */
export const volumeFields: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const convertible = new Set([
  ...environmentFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const hugePages = /^(requests|limits)\.hugepages-/;

function subscriptOf(path: string): { readonly map: string; readonly key: string } | undefined {
  const at = path.indexOf("['", 1);
  const end = path.length - "']".length;
  return at > 0 && at + 2 <= end && path.endsWith("']")
    ? { map: path.slice(0, at), key: path.slice(at + 2, end) }
    : undefined;
}

function subscriptErrors(key: string, path: string): FieldError[] {
  return invalids(path, key, qualifiedNameProblems(key));
}

function convertingError(path: string, field: string, problem: string): FieldError {
  return invalidField(`${path}.fieldPath`, field, `error converting fieldPath: ${problem}`);
}

function subscriptedErrors(field: string, path: string): FieldError[] | undefined {
  const subscript = subscriptOf(field);
  if (subscript === undefined) return undefined;
  const { map, key } = subscript;
  if (map === 'metadata.annotations') return subscriptErrors(key.toLowerCase(), path);
  if (map === 'metadata.labels') return subscriptErrors(key, path);
  return [convertingError(path, field, `field label does not support subscript: ${field}`)];
}

/** Errors of a `fieldRef`; `supported` are the fields that may be shown there. */
export function fieldReferenceErrors(reference: JsonObject, path: string, supported: readonly string[]): FieldError[] {
  const [version, field] = [textAt(reference, 'apiVersion'), textAt(reference, 'fieldPath')];
  if (version === '') return [requiredField(`${path}.apiVersion`)];
  if (field === '') return [requiredField(`${path}.fieldPath`)];
  if (version !== 'v1') return [convertingError(path, field, `unsupported pod version: ${version}`)];
  const subscripted = subscriptedErrors(field, path);
  if (subscripted !== undefined) return subscripted;
  const internal = field === 'spec.host' ? 'spec.nodeName' : field;
  if (!convertible.has(internal)) return [convertingError(path, field, `field label not supported: ${field}`)];
  return supported.includes(internal) ? [] : [unsupportedField(`${path}.fieldPath`, internal, supported)];
}

function divisorErrors(resource: string, divisor: string, path: string): FieldError[] {
  if (divisor === '' || divisor === '0') return [];
  const refuse = (texts: readonly string[], what: string): FieldError[] =>
    texts.includes(divisor)
      ? []
      : [
          invalidField(
            `${path}.divisor`,
            resource,
            `only divisor's values ${listOf(texts)} are supported with the ${what}`,
          ),
        ];
  if (resource.endsWith('.cpu')) return refuse(['1m', '1'], 'cpu resource');
  if (resource.endsWith('.memory')) return refuse(byteDivisors, 'memory resource');
  if (resource.endsWith('.ephemeral-storage')) return refuse(byteDivisors, 'local ephemeral storage resource');
  return hugePages.test(resource) ? refuse(byteDivisors, 'hugepages resource') : [];
}

function listOf(texts: readonly string[]): string {
  return texts.length === 2 ? texts.join(' and ') : texts.join(', ');
}

/** Errors of a `resourceFieldRef`; in volumes it must name a container. */
export function resourceReferenceErrors(reference: JsonObject, path: string, isInVolume: boolean): FieldError[] {
  const resource = textAt(reference, 'resource');
  const divisor = valueAt(reference, 'divisor');
  const errors = divisorErrors(resource, canonicalQuantity(typeof divisor === 'string' ? divisor : '0'), path);
  if (isInVolume && textAt(reference, 'containerName') === '')
    return [requiredField(`${path}.containerName`), ...errors];
  if (resource === '') return [requiredField(`${path}.resource`), ...errors];
  if (resources.includes(resource) || hugePages.test(resource)) return errors;
  return [unsupportedField(`${path}.resource`, resource, resources), ...errors];
}
