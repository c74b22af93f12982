import { errorMessage, printable } from '../../base/index.ts';
import { isKubeError, NoKindMatch } from '../../kube/index.ts';
import { describeManifest, type ReleaseTask } from '../../release/index.ts';
import { UpdateFailure } from './update-failure.ts';

/** A row of the table of API errors. */
interface Mapping {
  readonly reason: string;
  readonly cause: string;
}

const resource: Readonly<Record<string, Mapping>> = {
  notFound: { reason: 'UpdatePayloadResourceNotFound', cause: 'resource may have been deleted' },
  conflict: { reason: 'UpdatePayloadResourceConflict', cause: 'someone else is updating this resource' },
  down: { reason: 'UpdatePayloadClusterDown', cause: 'the server is down or not responding' },
  internal: { reason: 'UpdatePayloadClusterError', cause: 'the server is reporting an internal error' },
  invalid: {
    reason: 'UpdatePayloadResourceInvalid',
    cause: 'the object is invalid, possibly due to local cluster configuration',
  },
  unauthorized: { reason: 'UpdatePayloadClusterUnauthorized', cause: 'could not authenticate to the server' },
  forbidden: {
    reason: 'UpdatePayloadResourceForbidden',
    cause: 'the server has forbidden updates to this resource',
  },
  overloaded: {
    reason: 'UpdatePayloadClusterOverloaded',
    cause: 'the server is overloaded and is not accepting updates',
  },
  missingType: {
    reason: 'UpdatePayloadResourceTypeMissing',
    cause: 'the server does not recognize this resource, check extension API servers',
  },
};

/** By the reason that the server states. */
const byReason: Readonly<Record<string, Mapping | undefined>> = {
  AlreadyExists: resource['notFound'],
  Conflict: resource['conflict'],
  Forbidden: resource['forbidden'],
  InternalError: resource['internal'],
  Invalid: resource['invalid'],
  NotFound: resource['notFound'],
  ServerTimeout: resource['overloaded'],
  ServiceUnavailable: resource['down'],
  Timeout: resource['down'],
  TooManyRequests: resource['overloaded'],
  Unauthorized: resource['unauthorized'],
};

const maxDetailCharacters = 1_024;

function mappingOf(thrown: unknown): Mapping | undefined {
  if (thrown instanceof NoKindMatch) return resource['missingType'];
  if (!isKubeError(thrown)) return undefined;
  const { status, reason } = thrown.failure;
  const mapped = byReason[reason];
  if (mapped !== undefined) return mapped;
  return status === 0 || status >= 500 ? resource['down'] : undefined;
}

/** As failures name a task: `deployment "ns/name" (3 of 90)`. */
export function describeTask({ index, total, manifest }: ReleaseTask): string {
  const name = manifest.key.name === '' ? `"${manifest.fileName}"` : describeManifest(manifest.key);
  return `${name} (${index} of ${total})`;
}

/** How an object is named in progress and blockers: `deployment/NAMESPACE/NAME`. */
export function objectOf({ manifest: { key } }: ReleaseTask): string {
  return [key.kind.toLowerCase(), key.namespace, key.name].filter((part) => part !== '').join('/');
}

/** The failure of a task by what was thrown at its last try: the text of the reference, then the detail, which the reference leaves out.
 *  @see docs/spec/cluster-version.md#mapping-of-api-errors */
export function failureOfTask(task: ReleaseTask, thrown: unknown): UpdateFailure {
  if (thrown instanceof UpdateFailure) return thrown;
  const mapping = mappingOf(thrown);
  const detail = printable(errorMessage(thrown)).slice(0, maxDetailCharacters);
  const text = [`Could not update ${describeTask(task)}`, mapping?.cause, detail].filter((part) => part !== undefined);
  const { name } = task.manifest.key;
  const details = { cause: thrown, object: objectOf(task), names: name === '' ? [] : [name] };
  return new UpdateFailure(mapping?.reason ?? 'UpdatePayloadFailed', text.join(': '), details);
}
