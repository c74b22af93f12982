import { ownSecretNames, readDeploymentConfig } from '../src/api/index.ts';
import { type JsonObject, objectAt, sha256Digest, TransientError } from '../src/base/index.ts';
import { readChartConfig, type ValuesDocument, type ValuesReference } from '../src/formats/index.ts';
import { isForbidden, isNotFound, type KubeClient, type KubeObject, type ObjectRef } from '../src/kube/index.ts';

/** What the values of a chart are read with. */
export interface ValuesReading {
  /** As the one whom the deployment has its objects written by: nothing is read that this account may not read. */
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  readonly signal: AbortSignal;
}

/** What `valuesFrom` refers to, as it is now. */
export interface ReferredValues {
  readonly documents: readonly ValuesDocument[];
  /** Changes with them; empty without any. */
  readonly digest: string;
  /** Those of Secrets. */
  readonly secrets: readonly ValuesDocument[];
}

/** Without references. */
export const noReferredValues: ReferredValues = { documents: [], digest: '', secrets: [] };

const maxKeys = 10;

/** The namespace of the release of a deployment with that configuration. */
export function releaseNamespace(config: JsonObject, systemNamespace: string): string {
  return readDeploymentConfig(config).installNamespace ?? systemNamespace;
}

/** The objects that `valuesFrom` names. */
export function referredObjects(config: JsonObject, systemNamespace: string): readonly ObjectRef[] {
  const namespace = releaseNamespace(config, systemNamespace);
  return readChartConfig(config).valuesFrom.map((reference) => refOfValues(reference, namespace));
}

function refOfValues({ kind, name, namespace }: ValuesReference, releasedIn: string): ObjectRef {
  return { apiVersion: 'v1', kind, name, namespace: namespace ?? releasedIn };
}

function describe({ kind, name, namespace = '' }: ObjectRef): string {
  return `${kind} "${name}" in namespace "${namespace}"`;
}

function unusable(text: string, cause?: unknown): TransientError {
  return new TransientError('ValuesUnavailable', `spec.config.valuesFrom: ${text}`, { cause });
}

/** @throws TransientError ValuesUnavailable */
function assertReadable(ref: ObjectRef, { systemNamespace }: ValuesReading): void {
  const isOwn = ref.kind === 'Secret' && ref.namespace === systemNamespace && ownSecretNames.includes(ref.name);
  if (isOwn) throw unusable(`${describe(ref)} belongs to Longshore itself and has no values`);
}

async function readObject(ref: ObjectRef, reading: ValuesReading): Promise<KubeObject | undefined> {
  assertReadable(ref, reading);
  try {
    return await reading.kube.get(ref, { signal: reading.signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    if (isForbidden(thrown))
      throw unusable(`${describe(ref)} may not be read by the deployment's service account`, thrown);
    throw thrown;
  }
}

/** The text of a key; `binaryData` and the data of Secrets are base64. */
function textOfKey(object: KubeObject, key: string): string | undefined {
  const data = objectAt(object as unknown as JsonObject, 'data') ?? {};
  const binary = objectAt(object as unknown as JsonObject, 'binaryData') ?? {};
  const [plain, packed] = object.kind === 'Secret' ? [{}, data] : [data, binary];
  if (Object.hasOwn(plain, key) && typeof plain[key] === 'string') return plain[key];
  if (!Object.hasOwn(packed, key) || typeof packed[key] !== 'string') return undefined;
  return Buffer.from(packed[key], 'base64').toString('utf8');
}

function keysOf(object: KubeObject): string {
  const keys = Object.keys(objectAt(object as unknown as JsonObject, 'data') ?? {});
  return keys.length === 0 ? 'none' : keys.slice(0, maxKeys).join(', ');
}

async function readDocument(
  reference: ValuesReference,
  releasedIn: string,
  reading: ValuesReading,
): Promise<readonly ValuesDocument[]> {
  const ref = refOfValues(reference, releasedIn);
  const object = await readObject(ref, reading);
  const { key, targetPath, isOptional } = reference;
  const text = object === undefined ? undefined : textOfKey(object, key);
  if (text !== undefined) {
    return [{ origin: `${describe(ref)}, key ${key}`, text, ...(targetPath === undefined ? {} : { targetPath }) }];
  }
  if (isOptional) return [];
  if (object === undefined) throw unusable(`${describe(ref)} not found: create it, or set optional to true`);
  throw unusable(`${describe(ref)} has no key "${key}", but: ${keysOf(object)}`);
}

/** Reads what `valuesFrom` of a deployment's configuration refers to.
 *  @throws TransientError ValuesUnavailable · TerminalError RenderFailed for the configuration */
export async function readReferredValues(config: JsonObject, reading: ValuesReading): Promise<ReferredValues> {
  const { valuesFrom } = readChartConfig(config);
  if (valuesFrom.length === 0) return noReferredValues;
  const namespace = releaseNamespace(config, reading.systemNamespace);
  const documents: ValuesDocument[] = [];
  const secrets: ValuesDocument[] = [];
  for (const reference of valuesFrom) {
    const read = await readDocument(reference, namespace, reading);
    documents.push(...read);
    if (reference.kind === 'Secret') secrets.push(...read);
  }
  const digest = sha256Digest(JSON.stringify(documents.map(({ text, targetPath = '' }) => [text, targetPath])));
  return { documents, digest, secrets };
}
