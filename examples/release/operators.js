/** The operators of the example releases, which an embedded API server does not run. A component has a Deployment NAME-operator, whose variables are what
 *  this program knows once it is rolled out, and a ConfigMap `settings`, which administrators change. Each operator rolls out a Deployment NAME, and reports
 *  in the ClusterOperator NAME.
 *
 *  node operators.js NAME...     on the cluster of KUBECONFIG, until it is stopped */
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';

const operators = { group: 'config.openshift.io', version: 'v1', plural: 'clusteroperators' };
const retryMs = 1000;

const config = new KubeConfig();
config.loadFromDefault();
const apps = config.makeApiClient(AppsV1Api);
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const objects = KubernetesObjectApi.makeApiClient(config);

/** An informer whose objects can be read synchronously. `onChange` is called for each change; a watch that ends is started again. */
async function watch(path, list, onChange) {
  const informer = makeInformer(config, path, list);
  for (const verb of ['add', 'update', 'delete']) informer.on(verb, onChange);
  informer.on('error', () => setTimeout(() => informer.start(), retryMs));
  await informer.start();
  return informer;
}

function isRolledOut({ metadata, spec, status }) {
  const isCurrent = (count) => count === spec.replicas;
  return (
    status?.observedGeneration === metadata.generation &&
    isCurrent(status.updatedReplicas ?? 0) &&
    isCurrent(status.availableReplicas ?? 0)
  );
}

/** The number of replicas that the settings request, or the problem of settings that this version does not accept. */
function requestedReplicas(settings, minimum) {
  const text = settings?.data?.replicas ?? '1';
  if (!/^[1-9]$/.test(text)) return [0, `replicas: expected a number from 1 to 9, found "${text}"`];
  if (Number(text) < minimum) return [0, `replicas: this version needs at least ${minimum}, found ${text}`];
  return [Number(text)];
}

function operandFor(name, { image, replicas, version }) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name, image }] } };
  const metadata = { name, namespace: name, labels: { 'app.kubernetes.io/version': version } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

function isOperandDone(operand, version) {
  return operand?.metadata.labels?.['app.kubernetes.io/version'] === version && isRolledOut(operand);
}

/** What an operator reports about its operand, and about settings that it does not accept. */
function reportOf(operand, version, problem) {
  const isAvailable = (operand?.status?.availableReplicas ?? 0) > 0;
  const isDone = problem === undefined && isOperandDone(operand, version);
  const condition = (type, status, [reason, message = ''] = ['AsExpected']) => ({ type, status, reason, message });
  return {
    conditions: [
      isAvailable ? condition('Available', 'True') : condition('Available', 'False', ['NoReplicas']),
      isDone
        ? condition('Progressing', 'False')
        : condition('Progressing', 'True', ['RollingOut', `Rolling out ${version}`]),
      problem === undefined
        ? condition('Degraded', 'False')
        : condition('Degraded', 'True', ['InvalidSettings', `ConfigMap settings: ${problem}`]),
    ],
    // Reported once all operands have it.
    ...(isDone ? { versions: [{ name: 'operator', version }] } : {}),
  };
}

/** Times change with the status alone. */
function withTimes(conditions, before) {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
    return { lastTransitionTime, ...condition };
  });
}

function isReported(report, status) {
  const read = ({ type, status: value, reason, message }) => [type, value, reason, message ?? ''].join('\n');
  const known = new Set((status?.conditions ?? []).map(read));
  const version = status?.versions?.find(({ name }) => name === 'operator')?.version;
  return (
    report.conditions.every((one) => known.has(read(one))) && version === (report.versions?.[0].version ?? version)
  );
}

/** What the program of an operator knows once its Deployment is rolled out; undefined before. */
function programOf(deployment) {
  if (deployment === undefined || !isRolledOut(deployment)) return undefined;
  const variables = deployment.spec.template.spec.containers[0].env ?? [];
  const variable = (wanted) => variables.find(({ name }) => name === wanted)?.value ?? '';
  return {
    version: variable('RELEASE_VERSION'),
    image: variable('OPERAND_IMAGE'),
    minimum: Number(variable('MINIMUM_REPLICAS') || 1),
  };
}

const find = (informer, wanted) => informer.list().find(({ metadata }) => metadata.name === wanted);

/** Applies the operand; the problem of its settings, if there is one. */
async function rollOut(name, { version, image, minimum }, settings) {
  const [replicas, problem] = requestedReplicas(settings, minimum);
  if (problem !== undefined) return problem;
  const operand = operandFor(name, { image, replicas, version });
  const strategy = PatchStrategy.ServerSideApply;
  await objects.patch(operand, undefined, undefined, `${name}-operator`, true, strategy);
  return undefined;
}

async function writeReport(name, report, status) {
  const conditions = withTimes(report.conditions, status?.conditions ?? []);
  const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await custom.patchClusterCustomObjectStatus(
    { ...operators, name, body: { status: { ...report, conditions } } },
    merge,
  );
}

/** Reads all state, rolls out, reports. */
async function reconcile(name, { deployments, settings, clusterOperators }) {
  const program = programOf(find(deployments, `${name}-operator`));
  const clusterOperator = find(clusterOperators, name);
  if (program === undefined || clusterOperator === undefined) return;
  const problem = await rollOut(name, program, find(settings, 'settings'));
  const report = reportOf(find(deployments, name), program.version, problem);
  if (isReported(report, clusterOperator.status)) return;
  await writeReport(name, report, clusterOperator.status);
  console.log(`${name}: ${program.version}: ${problem ?? (report.versions === undefined ? 'rolling out' : 'done')}`);
}

/** Runs `work` when it is called, once more for calls in the meantime, and again after an error. */
function queue(name, work) {
  let isRunning = false;
  let isDue = false;
  return async function run() {
    isDue = true;
    if (isRunning) return;
    isRunning = true;
    while (isDue) {
      isDue = false;
      try {
        await work();
      } catch (thrown) {
        console.error(`${name}: ${thrown.message}`);
        setTimeout(run, retryMs);
      }
    }
    isRunning = false;
  };
}

const names = process.argv.slice(2);
console.log(`ready: operators of ${names.join(', ')}`);
const runs = [];
const changed = () => {
  for (const run of runs) run();
};
const { group, version, plural } = operators;
const path = `/apis/${group}/${version}/${plural}`;
const clusterOperators = await watch(path, () => custom.listClusterCustomObject(operators), changed);
for (const name of names) {
  const namespace = name;
  const deploymentsPath = `/apis/apps/v1/namespaces/${name}/deployments`;
  const settingsPath = `/api/v1/namespaces/${name}/configmaps`;
  const deployments = await watch(deploymentsPath, () => apps.listNamespacedDeployment({ namespace }), changed);
  const settings = await watch(settingsPath, () => core.listNamespacedConfigMap({ namespace }), changed);
  runs.push(queue(name, () => reconcile(name, { deployments, settings, clusterOperators })));
}
changed();
