import { installedAlongsidePrefix, group as ownGroup, parseClusterServiceVersion } from '../../api/index.ts';
import {
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  listOfTexts,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { checkCrdChange } from '../../crd-safety/index.ts';
import { asCurrentDefinition } from '../../formats/index.ts';
import {
  isForbidden,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  refOf,
} from '../../kube/index.ts';
import { abandonedComponentLabels, installedAlongside, isPlatformGroup } from '../../operators/index.ts';
import type { PlanContext } from './context.ts';
import { harmfulChanges, hasObjectsOfOthers } from './crd-of-others.ts';
import { type Applied, componentLabelsFor, create, labelled } from './ensure.ts';
import { describingRefusal, withMessage } from './refused-writes.ts';
import type { StepRun } from './step-run.ts';

/** For reading all objects of a CustomResourceDefinition. */
const readDeadlineMs = 60_000;

const currentVersion = 'apiextensions.k8s.io/v1';

/** @throws TerminalError OwnDefinition */
function assertForeign(crd: KubeObject): void {
  const group = textAt(objectAt(crd as unknown as JsonObject, 'spec'), 'group');
  if (!isPlatformGroup(group)) return;
  const text = `CustomResourceDefinition ${JSON.stringify(crd.metadata.name)} is of the API group ${group}, which no bundle may define: it is installed with the platform`;
  throw new TerminalError('OwnDefinition', text);
}

/** Marks by which the platform knows whose a definition is and how it may be changed: its controllers and administrators set them, no bundle does. */
function withoutMarks(marks: Readonly<Record<string, string>> = {}): Record<string, string> {
  const reserved = [`${ownGroup}/`, 'applyset.kubernetes.io/', installedAlongsidePrefix];
  return Object.fromEntries(
    Object.entries(marks).filter(([key]) => !reserved.some((prefix) => key.startsWith(prefix))),
  );
}

function desiredCrd({ step, namespace }: StepRun, manifest: JsonObject): KubeObject {
  const current = textAt(manifest, 'apiVersion') === currentVersion ? manifest : asCurrentDefinition(manifest);
  const { status: _status, metadata = {}, ...rest } = current;
  const { name, labels, annotations } = metadata as ObjectMeta;
  const [key, value] = installedAlongside({ namespace, name: step.resolving });
  return {
    ...rest,
    apiVersion: currentVersion,
    kind: 'CustomResourceDefinition',
    metadata: {
      ...(name === undefined ? {} : { name }),
      labels: { ...withoutMarks(labels), 'olm.managed': 'true' },
      annotations: { ...withoutMarks(annotations), ...(step.resolving === '' ? {} : { [key]: value }) },
    },
  };
}

function versionNames(crd: JsonObject): readonly string[] {
  return objectsAt(objectAt(crd, 'spec'), 'versions').map((version) => textAt(version, 'name'));
}

/** @throws TerminalError StoredVersionRemoved */
function assertStoredVersions(live: JsonObject, desired: JsonObject, name: string): void {
  const names = versionNames(desired);
  const removed = listOfTexts(objectAt(live, 'status'), 'storedVersions').find((version) => !names.includes(version));
  if (removed === undefined) return;
  const text = `risk of data loss updating ${JSON.stringify(name)}: new CRD removes version ${removed} that is listed as a stored version on the existing CRD`;
  throw new TerminalError('StoredVersionRemoved', text);
}

async function* readObjects(
  kube: KubeClient,
  target: { readonly apiVersion: string; readonly kind: string },
  options: { readonly signal: AbortSignal },
): AsyncGenerator<readonly JsonObject[]> {
  for await (const { items } of kube.listPages(target, options)) yield items as unknown as readonly JsonObject[];
}

function isConverted(crd: JsonObject): boolean {
  return textAt(objectAt(crd, 'spec', 'conversion'), 'strategy') === 'Webhook';
}

interface InvalidObject {
  readonly object: JsonObject;
  readonly errors: string;
}

/** In OLM's words. Objects are read with the permissions of the controllers: who reads the plan of an account may not read those of other namespaces, whose
 *  values a schema can be written to show. */
function tooRestrictive({ run, namespace: own }: StepRun, { object, errors }: InvalidObject): string {
  const metadata = objectAt(object, 'metadata');
  const [namespace, name] = [textAt(metadata, 'namespace'), textAt(metadata, 'name')];
  const what = `${textAt(object, 'apiVersion')}, Kind=${textAt(object, 'kind')}`;
  if (run.account !== undefined && namespace !== own) {
    return `error validating ${what} outside of namespace ${JSON.stringify(own)}: updated validation is too restrictive`;
  }
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return `error validating ${what} ${JSON.stringify(place)}: updated validation is too restrictive: ${errors}`;
}

/** Objects that exist must satisfy the new schemas, unless a webhook is to convert them, which nothing can know before.
 *  @throws TerminalError ObjectsInvalid */
async function assertObjectsValid(given: StepRun, live: JsonObject, desired: JsonObject): Promise<void> {
  const { run, step, signal } = given;
  const { kube, events } = run.context;
  const findings = await checkCrdChange(
    { before: live, after: desired },
    {
      switches: { isOff: false, ignored: new Set(['storedVersionRemoval']), warnings: [] },
      isRestored: true,
      describeInvalid: (invalid) => tooRestrictive(given, invalid),
      read: (target, options) => readObjects(kube, target, options),
      deadlineMs: readDeadlineMs,
      signal,
    },
  );
  const [finding] = findings;
  if (finding === undefined) return;
  const { text } = finding;
  if (!isConverted(desired)) throw new TerminalError('ObjectsInvalid', text);
  const message = `Validation of existing CRs against the new CRD's schema failed, but the new CRD has a conversion webhook, which is expected to convert them. CRD: ${JSON.stringify(step.resource.name)}. ${text}`;
  events.record(run.object, { type: 'Warning', reason: 'CRDValidation', message });
}

/** The labels that stay: not those of another package whose operator gives way to the one that the step is for. */
function keptLabels({ run, step, namespace }: StepRun, live: KubeObject): Record<string, string> {
  const labels = live.metadata.labels ?? {};
  const object = run.context.csvs.get(step.resolving, namespace);
  if (object === undefined) return labels;
  const { spec, metadata } = parseClusterServiceVersion(object);
  const predecessor = run.context.csvs.get(spec.replaces ?? '', namespace);
  if (predecessor === undefined) return labels;
  const abandoned = abandonedComponentLabels(predecessor, { metadata });
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !abandoned.includes(key)));
}

/** The definition that the account of a tenant may ask for: with the conversion that there is, as the webhook of another one would see, and change, the
 *  objects of all namespaces. */
function withLiveConversion({ run }: StepRun, live: KubeObject, desired: KubeObject): KubeObject {
  if (run.account === undefined || !isConverted(desired as unknown as JsonObject)) return desired;
  const [before, after] = [live, desired].map((crd) => objectAt(crd as unknown as JsonObject, 'spec') ?? {});
  return { ...desired, spec: { ...after, conversion: before?.['conversion'] ?? { strategy: 'None' } } };
}

/** The conversion that the operator's controller has set up stays. */
function keptConversion(before: JsonObject = {}, after: JsonObject = {}): JsonObject {
  const isSetUp = isConverted({ spec: before }) && after['conversion'] === undefined;
  return isSetUp ? { conversion: before['conversion'] ?? { strategy: 'None' } } : {};
}

/** Of a definition that others use labels and annotations stay: they decide what other programs make of it. */
function updatedMetadata(given: StepRun, live: KubeObject, { desired, isShared }: CrdUpdate): ObjectMeta {
  const { metadata } = live;
  const { labels, annotations = {} } = desired.metadata;
  const isInstalled = Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith(installedAlongsidePrefix));
  const own = Object.entries(annotations).filter(([key]) => key.startsWith(installedAlongsidePrefix));
  if (isShared) {
    return { ...metadata, annotations: { ...metadata.annotations, ...(isInstalled ? Object.fromEntries(own) : {}) } };
  }
  return {
    ...metadata,
    labels: { ...keptLabels(given, live), ...labels },
    annotations: { ...metadata.annotations, ...annotations },
  };
}

interface CrdUpdate {
  readonly desired: KubeObject;
  /** Whether objects of others exist, which the account of the plan may not be allowed to change. */
  readonly isShared: boolean;
}

/** The spec that the step asks for, beside what the cluster or the operator's controller has added. */
function updatedCrd(given: StepRun, live: KubeObject, update: CrdUpdate): KubeObject {
  const { desired } = update;
  const [before, after] = [live, desired].map((crd) => objectAt(crd as unknown as JsonObject, 'spec') ?? {});
  const conversion = keptConversion(before, after);
  const preserve = before?.['preserveUnknownFields'] === true && after?.['preserveUnknownFields'] === undefined;
  return {
    ...live,
    metadata: updatedMetadata(given, live, update),
    spec: { ...after, ...conversion, ...(preserve ? { preserveUnknownFields: false } : {}) },
  };
}

/** With whose permissions a definition is changed. Those of the controllers are enough for a change that leaves all objects as they are; the account of the
 *  plan must be allowed any other one that objects of others may be lost by.
 *  @throws the refusal, with the change, when the account is not allowed it */
async function writeShared(given: StepRun, live: KubeObject, updated: KubeObject): Promise<void> {
  const { run, step } = given;
  const changes = await harmfulChanges(live as unknown as JsonObject, updated as unknown as JsonObject);
  const { kube } = changes === undefined ? run.context : given;
  try {
    await describingRefusal(step, 'updating', () => kube.update(updated, given.write));
  } catch (thrown) {
    if (changes === undefined || !isKubeError(thrown) || !isForbidden(thrown)) throw thrown;
    const why = `objects outside of the namespaces of the OperatorGroup may lose data, so that its service account must be allowed this change: ${changes}`;
    throw withMessage(thrown, `${thrown.message}: ${why}`);
  }
}

async function update(given: StepRun, live: KubeObject, manifest: KubeObject): Promise<Applied> {
  const { run } = given;
  const desired = withLiveConversion(given, live, manifest);
  const isShared = run.account !== undefined && (await hasObjectsOfOthers(given, live));
  const [before, after] = [live as unknown as JsonObject, desired as unknown as JsonObject];
  await assertObjectsValid(given, before, after);
  assertStoredVersions(before, after, given.step.resource.name);
  const updated = updatedCrd(given, live, { desired, isShared });
  const isSame = isJsonEqual(updated as unknown as JsonValue, live as unknown as JsonValue);
  if (isSame) return 'Present';
  if (isShared) await writeShared(given, live, updated);
  else await describingRefusal(given.step, 'updating', () => run.context.kube.update(updated, given.write));
  return 'Present';
}

/** Creates a CustomResourceDefinition, or changes it if that harms no stored object. With the permissions of the controllers, whatever the account of
 *  the plan may do, as an API is there for the whole cluster; but for changes that objects of others may be lost by.
 *  @throws TerminalError OwnDefinition, ObjectsInvalid, StoredVersionRemoved */
export async function ensureCrd(given: StepRun, manifest: JsonObject): Promise<Applied> {
  const { kube } = given.run.context;
  const desired = desiredCrd(given, manifest);
  assertForeign(desired);
  const created = labelled(desired, componentLabelsFor(given));
  if ((await create({ ...given, kube }, created)) !== undefined) return 'WaitingForApi';
  return await update(given, await kube.get(refOf(desired), { signal: given.signal }), desired);
}

function isEstablished(crd: KubeObject): boolean {
  const conditions = objectsAt(objectAt(crd as unknown as JsonObject, 'status'), 'conditions');
  const isTrue = (type: string): boolean =>
    conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
  return isTrue('Established') && isTrue('NamesAccepted');
}

/** Whether a watch has shown that the definition is established. */
export function isKnownEstablished({ definitions }: PlanContext, name: string): boolean {
  const cached = definitions.get(name);
  return cached !== undefined && isEstablished(cached);
}

/** What became of a CustomResourceDefinition that was created. */
export async function awaitCrd({ run, step, signal }: StepRun): Promise<Applied | 'NotPresent'> {
  const { name } = step.resource;
  if (isKnownEstablished(run.context, name)) return 'Created';
  const ref: ObjectRef = { apiVersion: currentVersion, kind: 'CustomResourceDefinition', name };
  try {
    const crd = await run.context.kube.get(ref, { signal });
    return isEstablished(crd) ? 'Created' : 'WaitingForApi';
  } catch (thrown) {
    if (isNotFound(thrown)) return 'NotPresent';
    throw thrown;
  }
}
