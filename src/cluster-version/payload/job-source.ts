import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterVersionFieldManager } from '../../api/index.ts';
import { type Clock, cutText, type JsonObject, objectAt, objectsAt, TransientError, textAt } from '../../base/index.ts';
import { stageFolder } from '../../content/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type ObjectRef } from '../../kube/index.ts';
import { payloadDirectories } from '../../release/index.ts';
import type { ReleaseName, ReleaseSource } from './release-sources.ts';

/** Where Jobs put releases. */
export interface JobSourceOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  /** A PersistentVolumeClaim of the namespace of the engine. */
  readonly claim: string;
  /** Where this process has the volume of the claim. */
  readonly folder: string;
}

/** Namespace of the Jobs and the claim. */
export const engineNamespace = 'openshift-cluster-version';

const job = { apiVersion: 'batch/v1', kind: 'Job', namespace: engineNamespace };
const label = { 'k8s-app': 'retrieve-openshift-release' };
const selector = Object.entries(label)
  .map(([name, value]) => `${name}=${value}`)
  .join(',');
const mountPath = '/releases';
const workFolder = 'longshore';
const deadlineSeconds = 120;
const pollMs = 500;
const shownCharacters = 500;
/** What a kubelet reports of an image that it will not get. */
const finalReasons = ['SignatureValidationFailed', 'InvalidImageName', 'ErrImageNeverPull'];

function randomName(): string {
  return randomBytes(8)
    .toString('base64url')
    .replace(/[^a-z0-9]/gi, 'x')
    .toLowerCase()
    .slice(0, 5);
}

/** `version-VERSION-HASH`; the name of a Job is a label of its Pod. */
function jobName(version: string): string {
  const plain = version.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  return `version-${plain.slice(0, 48)}-${randomName()}`;
}

interface Places {
  /** Below the mount, for this image. */
  readonly final: string;
  readonly temporary: string;
}

function container(name: string, image: string, command: readonly string[]): JsonObject {
  return {
    name,
    image,
    command: [...command],
    volumeMounts: [{ name: 'releases', mountPath }],
    resources: { requests: { cpu: '10m', memory: '50Mi', 'ephemeral-storage': '2Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

/** The files are written as the user of this process, who reads and deletes them. */
function podSecurity(): JsonObject {
  const user = process.getuid?.() ?? 0;
  const seccompProfile = { type: 'RuntimeDefault' };
  if (user === 0) return { seccompProfile };
  const group = process.getgid?.() ?? 0;
  return { seccompProfile, runAsNonRoot: true, runAsUser: user, ...(group === 0 ? {} : { fsGroup: group }) };
}

/** Every container runs the image of the release, which has `rm`, `mkdir`, `cp` and `mv`. What was copied appears under its name as a whole. */
function jobOf({ version, image }: ReleaseName, claim: string, { final, temporary }: Places): KubeObject {
  const work = `${mountPath}/${workFolder}`;
  const copies = payloadDirectories.map((directory) =>
    container(`copy-${directory}`, image, ['cp', '-R', `/${directory}`, `${temporary}/`]),
  );
  const pod = {
    // Pods that failed stay, with what their containers stated.
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(),
    tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
    initContainers: [
      container('cleanup', image, ['rm', '-fR', work]),
      container('make-temporary-directory', image, ['mkdir', '-p', temporary]),
      ...copies,
    ],
    containers: [container('rename-to-final-location', image, ['mv', temporary, final])],
    volumes: [{ name: 'releases', persistentVolumeClaim: { claimName: claim } }],
  };
  const spec = {
    backoffLimit: 3,
    activeDeadlineSeconds: deadlineSeconds,
    template: { metadata: { labels: label }, spec: pod },
  };
  const { namespace, ...kind } = job;
  return { ...kind, metadata: { name: jobName(version), namespace, labels: label }, spec };
}

function claimsOf(object: KubeObject): string[] {
  const volumes = objectsAt(objectAt(object as JsonObject, 'spec', 'template', 'spec'), 'volumes');
  return volumes.map((volume) => textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName'));
}

async function deleteJob({ kube }: JobSourceOptions, { metadata }: KubeObject, signal?: AbortSignal): Promise<void> {
  const { name = '', uid } = metadata;
  try {
    await kube.delete({ ...job, name }, { ...(uid === undefined ? {} : { uid }), ...(signal ? { signal } : {}) });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

/** Those of earlier retrievals with this claim: one at a time uses it. */
async function deleteEarlierJobs(options: JobSourceOptions, signal: AbortSignal): Promise<void> {
  const { items } = await options.kube.list({ ...job, labelSelector: selector }, { signal });
  for (const one of items) {
    const isOurs = one.metadata.name?.startsWith('version-') === true && claimsOf(one).includes(options.claim);
    if (isOurs) await deleteJob(options, one, signal);
  }
}

function problemOf(status: JsonObject): string | undefined {
  const waiting = objectAt(status, 'state', 'waiting');
  const [reason, message] = [textAt(waiting, 'reason'), textAt(waiting, 'message')];
  const isFinal = finalReasons.includes(reason) || (reason === 'ErrImagePull' && message.includes('manifest unknown'));
  return isFinal ? `${reason}: ${message}` : undefined;
}

function endOf(status: JsonObject): string | undefined {
  const ends = [objectAt(status, 'state', 'terminated'), objectAt(status, 'lastState', 'terminated')];
  const failed = ends.find((end) => end !== undefined && end['exitCode'] !== 0);
  if (failed === undefined) return undefined;
  const message = textAt(failed, 'message').trim();
  return `container ${textAt(status, 'name')}: ${message === '' ? textAt(failed, 'reason') : message}`;
}

function statusesOf(pod: KubeObject): JsonObject[] {
  const status = objectAt(pod as JsonObject, 'status');
  return [...objectsAt(status, 'initContainerStatuses'), ...objectsAt(status, 'containerStatuses')];
}

async function podsOf({ kube }: JobSourceOptions, name: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const target = { apiVersion: 'v1', kind: 'Pod', namespace: engineNamespace, labelSelector: `job-name=${name}` };
  return (await kube.list(target, { signal })).items;
}

function failed(ref: ObjectRef, text: string): TransientError {
  const where = `Job ${engineNamespace}/${ref.name}`;
  return new TransientError('RetrievalFailed', `${where}: ${cutText(text, shownCharacters)}`);
}

/** Whether the Job has copied the release.
 *  @throws TransientError RetrievalFailed, with what its containers stated */
async function isDone(options: JobSourceOptions, ref: ObjectRef, signal: AbortSignal): Promise<boolean> {
  const live = await options.kube.get(ref, { signal });
  const conditions = objectsAt(objectAt(live as JsonObject, 'status'), 'conditions');
  const find = (type: string): JsonObject | undefined =>
    conditions.find((one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True');
  if (find('Complete') !== undefined) return true;
  const statuses = (await podsOf(options, ref.name, signal)).flatMap(statusesOf);
  const problem = statuses.map(problemOf).find((text) => text !== undefined);
  if (problem !== undefined) throw failed(ref, problem);
  const failure = find('Failed');
  if (failure === undefined) return false;
  const ends = statuses.map(endOf).filter((text) => text !== undefined);
  throw failed(ref, [`${textAt(failure, 'reason')}: ${textAt(failure, 'message')}`, ...ends].join('; '));
}

async function runJob(options: JobSourceOptions, created: KubeObject, signal: AbortSignal): Promise<void> {
  const ref = { ...job, name: created.metadata.name ?? '' };
  try {
    while (!(await isDone(options, ref, signal))) await options.clock.sleep(pollMs, { signal });
  } catch (thrown) {
    // It would write into what the next try reads.
    await deleteJob(options, created).catch(() => undefined);
    throw thrown;
  }
}

/** Releases in registries that nodes alone reach: a Job runs the image of the release, and copies its manifests to a volume that this process has, too. The
 *  kubelet compares the image with its digest; who may write to the volume may change what is applied.
 *  @see docs/spec/cluster-version.md#retrieving-a-payload */
export function jobSource(options: JobSourceOptions): ReleaseSource {
  return {
    stage: async (release, staging, signal) => {
      const id = createHash('sha256').update(release.image).digest('base64url');
      const work = `${mountPath}/${workFolder}`;
      const places = { final: `${work}/${id}`, temporary: `${work}/${id}-${randomName()}` };
      await deleteEarlierJobs(options, signal);
      const desired = jobOf(release, options.claim, places);
      const created = await options.kube.create(desired, { fieldManager: clusterVersionFieldManager, signal });
      await runJob(options, created, signal);
      const folder = join(options.folder, workFolder);
      await stageFolder(join(folder, id), staging, { signal, followsLinks: false });
      await rm(folder, { recursive: true, force: true });
      return true;
    },
  };
}
