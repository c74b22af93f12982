import { parseClusterServiceVersion } from '../../api/index.ts';
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
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  refOf,
} from '../../kube/index.ts';
import { abandonedComponentLabels, installedAlongside, isPlatformGroup } from '../../operators/index.ts';
import type { PlanContext } from './context.ts';
import { type Applied, componentLabelsFor, create, labelled } from './ensure.ts';
import { describingRefusal } from './refused-writes.ts';
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
      labels: { ...labels, 'olm.managed': 'true' },
      annotations: { ...annotations, ...(step.resolving === '' ? {} : { [key]: value }) },
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

/** The conversion that stays: the one that the operator's controller has set up, and any where the account of a tenant would set up another, whose webhook
 *  would see, and change, the objects of all namespaces. */
function keptConversion({ run }: StepRun, before: JsonObject = {}, after: JsonObject = {}): JsonObject {
  const isSetUp = isConverted({ spec: before }) && after['conversion'] === undefined;
  const isOfTenant = run.account !== undefined && isConverted({ spec: after });
  return isSetUp || isOfTenant ? { conversion: before['conversion'] ?? { strategy: 'None' } } : {};
}

/** The spec that the step asks for, beside what the cluster or the operator's controller has added. */
function updatedCrd(given: StepRun, live: KubeObject, desired: KubeObject): KubeObject {
  const { metadata } = live;
  const [before, after] = [live, desired].map((crd) => objectAt(crd as unknown as JsonObject, 'spec') ?? {});
  const conversion = keptConversion(given, before, after);
  const preserve = before?.['preserveUnknownFields'] === true && after?.['preserveUnknownFields'] === undefined;
  return {
    ...live,
    metadata: {
      ...metadata,
      labels: { ...keptLabels(given, live), ...desired.metadata.labels },
      annotations: { ...metadata.annotations, ...desired.metadata.annotations },
    },
    spec: { ...after, ...conversion, ...(preserve ? { preserveUnknownFields: false } : {}) },
  };
}

async function update(given: StepRun, live: KubeObject, desired: KubeObject): Promise<Applied> {
  const { run, write } = given;
  const [before, after] = [live as unknown as JsonObject, desired as unknown as JsonObject];
  await assertObjectsValid(given, before, after);
  assertStoredVersions(before, after, given.step.resource.name);
  const updated = updatedCrd(given, live, desired);
  const isSame = isJsonEqual(updated as unknown as JsonValue, live as unknown as JsonValue);
  if (!isSame) await describingRefusal(given.step, 'updating', () => run.context.kube.update(updated, write));
  return 'Present';
}

/** Creates a CustomResourceDefinition, or changes it if that harms no stored object. With the permissions of the controllers, whatever the account of
 *  the plan may do: an API is there for the whole cluster.
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
