import { clusterServiceVersionResource, olmFieldManager, olmLabels } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, type ServingCertificate, valueAt } from '../../base/index.ts';
import {
  type AddedController,
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  type Step,
} from '../../controller/index.ts';
import {
  isNotFound,
  isOtherObject,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  type ObjectRef,
} from '../../kube/index.ts';
import { packagesGroup, packagesVersion } from './api.ts';

const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  name: `${packagesVersion}.${packagesGroup}`,
} as const;

/** Where the API server reaches the package server. */
export interface PackageService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The host that the Service leads to, where it is not part of the manifests: a server that listens on this machine. */
  readonly externalName?: string;
}

/** What is registered: where the package server is reached, and its certificate. */
export interface PackageRegistrationOptions {
  readonly service: PackageService;
  readonly serving: ServingCertificate;
}

interface RegistrationContext {
  readonly kube: KubeClient;
  readonly service: PackageService;
  readonly serving: Pick<ServingCertificate, 'current'>;
  readonly services: KindCache | undefined;
}

interface RegistrationRun extends ReconcileRun {
  readonly context: RegistrationContext;
}

function serviceTarget({ namespace, name }: PackageService): ListTarget {
  return { apiVersion: 'v1', kind: 'Service', namespace, fieldSelector: `metadata.name=${name}` };
}

function desiredService({ namespace, name, port, externalName = '' }: PackageService): KubeObject {
  const ports = [{ name: 'https', protocol: 'TCP', port, targetPort: port }];
  const object = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { type: 'ExternalName', externalName, ports },
  };
  return object as unknown as KubeObject;
}

function desiredSpec({ service, serving }: Pick<RegistrationContext, 'service' | 'serving'>): JsonObject {
  const { namespace, name, port } = service;
  return {
    group: packagesGroup,
    version: packagesVersion,
    groupPriorityMinimum: 2_000,
    versionPriority: 15,
    service: { namespace, name, port },
    caBundle: Buffer.from(serving.current().caBundlePem).toString('base64'),
  };
}

/** Whether `object` has all members of `spec`. */
function hasSpec(object: KubeObject | undefined, spec: JsonObject): boolean {
  const found = objectAt(object as JsonObject | undefined, 'spec');
  return Object.entries(spec).every(([key, value]) => isJsonEqual(valueAt(found, key) ?? null, value ?? null));
}

async function ensureService({ kube, service, services }: RegistrationContext, signal: AbortSignal): Promise<void> {
  if (services === undefined) return;
  const { externalName = '' } = service;
  if (hasSpec(services.get(service.name, service.namespace), { type: 'ExternalName', externalName })) return;
  const { object } = await kube.apply(desiredService(service), { fieldManager: olmFieldManager, force: true, signal });
  services.wrote(object);
}

async function apply(context: RegistrationContext, signal: AbortSignal): Promise<void> {
  const { apiVersion, kind, name } = apiService;
  const object = { apiVersion, kind, metadata: { name }, spec: desiredSpec(context) };
  await context.kube.apply(object as unknown as KubeObject, { fieldManager: olmFieldManager, force: true, signal });
}

/** The package server of the real OLM is an operator of its own: it serves until its ClusterServiceVersion is deleted, and with it the APIService. */
const leaveToOperator: Step<RegistrationRun> = async ({ object }, { log }) => {
  await Promise.resolve();
  const { [olmLabels.owner]: owner, [olmLabels.ownerKind]: kind } = object.metadata.labels ?? {};
  if (owner === undefined || kind !== clusterServiceVersionResource.kind) return undefined;
  log.info({ apiService: apiService.name, owner }, 'PackageManifests are left to another package server');
  return 'stop';
};

const ensureRegistration: Step<RegistrationRun> = async ({ context, object }, { signal }) => {
  await ensureService(context, signal);
  if (!hasSpec(object, desiredSpec(context))) await apply(context, signal);
  return undefined;
};

/** Registers the package server with the API server, and again when the registration was changed or deleted, or the certificate has another authority. */
export const packageRegistrationController: ControllerDefinition<RegistrationContext, RegistrationRun> =
  defineController({
    name: 'packagemanifest-registration',
    for: { ...apiService, fieldSelector: `metadata.name=${apiService.name}` },
    firstRequests: [{ namespace: '', name: apiService.name }],
    watches: ({ service, services }) => {
      const requestsFor = (): { namespace: string; name: string }[] => [{ namespace: '', name: apiService.name }];
      return services === undefined ? [] : [{ target: serviceTarget(service), requestsFor }];
    },
    begin: (context, object) => ({ context, object }),
    steps: [leaveToOperator, ensureRegistration],
    forget: async (context) => {
      const { signal } = new AbortController();
      await ensureService(context, signal);
      await apply(context, signal);
    },
    permissions: {
      cluster: [
        {
          apiGroups: ['apiregistration.k8s.io'],
          resources: ['apiservices'],
          verbs: ['get', 'list', 'watch', 'create', 'patch'],
        },
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
      system: [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch', 'create', 'patch'] }],
    },
    isOptional: true,
  });

/** Adds the controller that registers the package server. */
export function addPackageRegistration(manager: Manager, { service, serving }: PackageRegistrationOptions): void {
  const services = service.externalName === undefined ? undefined : manager.cache(serviceTarget(service));
  const context = { kube: manager.kube, service, serving, services };
  const controller: AddedController = manager.add(packageRegistrationController, { context, workers: 1 });
  void serving.keepFresh(() => controller.enqueue(apiService.name), manager.signal).catch(() => undefined);
}

async function deleteIf(
  kube: KubeClient,
  ref: ObjectRef,
  { spec, signal }: { readonly spec: JsonObject; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const object = await kube.get(ref, { signal });
    if (hasSpec(object, spec)) await kube.delete(ref, { uid: object.metadata.uid, signal });
  } catch (thrown) {
    if (!isNotFound(thrown) && !isOtherObject(thrown)) throw thrown;
  }
}

/** Deletes the registration, and the Service that leads to this machine, unless another package server has been registered since. An APIService without a
 *  server breaks discovery and the deletion of Namespaces. */
export async function removePackageRegistration(
  kube: KubeClient,
  { service, serving }: PackageRegistrationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, externalName } = service;
  await deleteIf(kube, apiService, { spec: desiredSpec({ service, serving }), signal });
  if (externalName === undefined) return;
  const ref = { apiVersion: 'v1', kind: 'Service', namespace, name };
  await deleteIf(kube, ref, { spec: { type: 'ExternalName', externalName }, signal });
}
