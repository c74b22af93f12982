import {
  type CatalogSource,
  catalogServiceAnnotation,
  catalogSourceResource,
  olmFieldManager,
  olmLabels,
  parseCatalogSource,
} from '../../api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, TerminalError, valueAt } from '../../base/index.ts';
import { requeueAfter, type Step } from '../../controller/index.ts';
import { isAlreadyExists, type KubeObject, type ListTarget, preconditionOf, refOf } from '../../kube/index.ts';
import type { CatalogService, CatalogSourceContext, GrpcPlace } from './context.ts';
import type { SourceRun } from './run.ts';

/** Services of CatalogSources. */
export const serviceTarget: ListTarget = { apiVersion: 'v1', kind: 'Service', labelSelector: olmLabels.catalogSource };

/** Another object has the name; it may be deleted. */
const retryMs = 5 * 60_000;
const maxNameCharacters = 63;

/** The name of the Service of a CatalogSource; undefined where its name can be none.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
function serviceNameOf({ name = '' }: { readonly name?: string | undefined }): string | undefined {
  const dashed = name.replaceAll('.', '-');
  return /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(dashed) && dashed.length <= maxNameCharacters ? dashed : undefined;
}

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** Whether its owner requested a Service. */
function isServiceRequested({ metadata }: Annotated): boolean {
  return metadata.annotations?.[catalogServiceAnnotation] === 'true';
}

/** The Service that a CatalogSource is to have; undefined unless that was requested and is possible. */
export function serviceOf(source: CatalogSource, place: GrpcPlace | undefined): CatalogService | undefined {
  const name = serviceNameOf(source.metadata);
  return place === undefined || name === undefined || !isServiceRequested(source)
    ? undefined
    : { name, port: place.port };
}

/** An ExternalName: clients send its name along, by which the one server of all catalogs finds theirs. */
function desiredSpec({ externalName, port }: GrpcPlace): JsonObject {
  const ports = [{ name: 'grpc', protocol: 'TCP', port, targetPort: port }];
  return { type: 'ExternalName', externalName, ports };
}

function desired({ metadata }: CatalogSource, name: string, place: GrpcPlace): KubeObject {
  const { apiVersion, kind } = catalogSourceResource;
  const { name: owner, namespace = '', uid = '' } = metadata;
  const ownerReferences = [{ apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: false }];
  const labels = { [olmLabels.catalogSource]: owner, [olmLabels.managed]: 'true' };
  const object = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels, ownerReferences },
    spec: desiredSpec(place),
  };
  return object as unknown as KubeObject;
}

function isOf(object: KubeObject, uid: string | undefined): boolean {
  return (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.controller === true);
}

/** Services that belong to the CatalogSource. */
function ownServices({ services }: CatalogSourceContext, { metadata }: CatalogSource): readonly KubeObject[] {
  const labelled = services.labelled(olmLabels.catalogSource, metadata.name);
  return labelled.filter((object) => object.metadata.namespace === metadata.namespace && isOf(object, metadata.uid));
}

/** @throws TerminalError ServiceNotOurs */
async function create(run: SourceRun, object: KubeObject, signal: AbortSignal): Promise<void> {
  const { kube, services } = run.context;
  try {
    services.wrote(await kube.create(object, { fieldManager: olmFieldManager, signal }));
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    const { namespace, name } = object.metadata;
    const message = `service ${namespace}/${name} exists and does not belong to this CatalogSource`;
    throw new TerminalError('ServiceNotOurs', message, { cause: thrown });
  }
}

async function correct(run: SourceRun, object: KubeObject, signal: AbortSignal): Promise<void> {
  const { kube, services, grpc } = run.context;
  if (grpc === undefined) return;
  const spec = desiredSpec(grpc);
  const found = objectAt(object as JsonObject, 'spec');
  if (Object.entries(spec).every(([key, value]) => isJsonEqual(valueAt(found, key) ?? null, value ?? null))) return;
  const patch = { metadata: preconditionOf(object), spec };
  services.wrote(await kube.patch(refOf(object), patch, { fieldManager: olmFieldManager, signal }));
}

async function ensure(run: SourceRun, source: CatalogSource, signal: AbortSignal): Promise<void> {
  const { context } = run;
  const service = serviceOf(source, context.grpc);
  const own = ownServices(context, source);
  for (const object of own) {
    if (object.metadata.name === service?.name) continue;
    await context.kube.delete(refOf(object), { signal, uid: object.metadata.uid });
  }
  if (service === undefined || context.grpc === undefined) {
    if (!isServiceRequested(source) || context.grpc === undefined) return;
    throw new TerminalError('ServiceNotOurs', `"${source.metadata.name}" can be no name of a Service`);
  }
  const current = own.find(({ metadata }) => metadata.name === service.name);
  if (current !== undefined) return await correct(run, current, signal);
  await create(run, desired(source, service.name, context.grpc), signal);
}

/** Keeps the Service of a CatalogSource by which others reach the catalog. No Service of others is ever changed. */
export const ensureService: Step<SourceRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (!context.isLeading()) return undefined;
  const uid = object.metadata.uid ?? '';
  context.serviceProblems.delete(uid);
  try {
    await ensure(run, parseCatalogSource(object), signal);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'ServiceNotOurs') throw thrown;
    context.serviceProblems.set(uid, thrown.message);
    requeueAfter(run, retryMs);
  }
  return undefined;
};

/** The CatalogSource that clients call by this name: `SERVICE.NAMESPACE.svc:PORT`, or longer or shorter. */
export function sourceCalled(
  authority: string,
  sourcesIn: (namespace: string) => readonly KubeObject[],
): KubeObject | undefined {
  const [service, namespace = ''] = authority.replace(/:\d+$/, '').toLowerCase().split('.');
  const requested = sourcesIn(namespace).filter(isServiceRequested);
  return requested.find(({ metadata }) => serviceNameOf(metadata) === service);
}
