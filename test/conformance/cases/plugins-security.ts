import { createPod, labelNamespace, plainContainer, pod, refusal } from '../pods.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const prefix = 'pod-security.kubernetes.io/';
const mergePatch = 'application/merge-patch+json';

async function enforce(api: Probe, labels: Readonly<Record<string, string>>): Promise<void> {
  await labelNamespace(
    api,
    Object.fromEntries(Object.entries(labels).map(([name, value]) => [`${prefix}${name}`, value])),
  );
  await api.settle();
}

const contained = (securityContext: object, more: object = {}): object => ({
  containers: [{ ...plainContainer, securityContext, ...more }],
});

const good = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Pods that baseline refuses, and some that it takes. */
const baseline: Readonly<Record<string, object>> = {
  'host-namespaces': { hostNetwork: true, hostPID: true, hostIPC: true },
  privileged: contained({ privileged: true }),
  'privileged-two': {
    containers: [
      { ...plainContainer, securityContext: { privileged: true } },
      { ...plainContainer, name: 'd', securityContext: { privileged: true } },
    ],
  },
  capabilities: contained({ capabilities: { add: ['NET_ADMIN', 'CHOWN', 'SYS_TIME'] } }),
  'capabilities-fine': contained({ capabilities: { add: ['CHOWN', 'KILL'] } }),
  'host-path': {
    volumes: [
      { name: 'h', hostPath: { path: '/' } },
      { name: 'i', hostPath: { path: '/tmp' } },
    ],
  },
  'host-port': {
    containers: [
      {
        ...plainContainer,
        ports: [
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 81, hostPort: 8081 },
        ],
      },
    ],
  },
  'apparmor-field': { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  'apparmor-container': contained({ appArmorProfile: { type: 'Unconfined' } }),
  selinux: { securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } } },
  'selinux-container': contained({ seLinuxOptions: { type: 'container_t', user: 'u' } }),
  'proc-mount': { hostUsers: false, ...contained({ procMount: 'Unmasked' }) },
  seccomp: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  'seccomp-container': contained({ seccompProfile: { type: 'Unconfined' } }),
  sysctls: {
    securityContext: {
      sysctls: [
        { name: 'kernel.msgmax', value: '1' },
        { name: 'net.ipv4.tcp_syncookies', value: '1' },
      ],
    },
  },
  'windows-host-process': {
    hostNetwork: true,
    securityContext: { windowsOptions: { hostProcess: true }, runAsNonRoot: true },
  },
  'several-things': { hostNetwork: true, ...contained({ privileged: true, capabilities: { add: ['SYS_ADMIN'] } }) },
  init: { initContainers: [{ ...plainContainer, name: 'i', securityContext: { privileged: true } }] },
  plain: {},
};

/** Pods that restricted refuses, and some that it takes. */
const restricted: Readonly<Record<string, object>> = {
  plain: {},
  good: contained(good),
  'good-pod': {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    ...contained({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
  },
  'two-containers': { containers: [plainContainer, { ...plainContainer, name: 'd' }] },
  'one-of-two': {
    containers: [
      { ...plainContainer, securityContext: good },
      { ...plainContainer, name: 'd' },
    ],
  },
  'add-bind': contained({ ...good, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }),
  'add-chown': contained({ ...good, capabilities: { drop: ['ALL'], add: ['CHOWN', 'KILL'] } }),
  'drop-some': contained({ ...good, capabilities: { drop: ['CHOWN'] } }),
  'run-as-root': contained({ ...good, runAsUser: 0 }),
  'pod-run-as-root': { securityContext: { runAsUser: 0 }, ...contained(good) },
  'non-root-false': contained({ ...good, runAsNonRoot: false }),
  'pod-non-root-false': {
    securityContext: { runAsNonRoot: false },
    ...contained({ ...good, runAsNonRoot: undefined }),
  },
  volumes: {
    ...contained(good),
    volumes: [
      { name: 'h', hostPath: { path: '/' } },
      { name: 'n', nfs: { server: 's', path: '/p' } },
      { name: 'e', emptyDir: {} },
    ],
  },
  'seccomp-unconfined': contained({ ...good, seccompProfile: { type: 'Unconfined' } }),
  'seccomp-local': contained({ ...good, seccompProfile: { type: 'Localhost', localhostProfile: 'x' } }),
  windows: { os: { name: 'windows' } },
  'host-network': { hostNetwork: true, ...contained(good) },
};

/** Pod security standards. */
export const cases: Area = area('Admission: pod security', (it) => {
  it('ADM-45 refuses by the baseline, each thing in its words', async (api) => {
    await enforce(api, { enforce: 'baseline' });
    for (const [name, spec] of Object.entries(baseline)) await createPod(api, pod(name, spec), { keep: refusal });
  });

  it('ADM-45 refuses by the restricted level, each thing in its words', async (api) => {
    await enforce(api, { enforce: 'restricted' });
    for (const [name, spec] of Object.entries(restricted)) await createPod(api, pod(name, spec), { keep: refusal });
  });

  it('ADM-45 answers with a Status of reason Forbidden', async (api) => {
    await enforce(api, { enforce: 'restricted', 'enforce-version': 'v1.24' });
    await createPod(api, pod('p'));
    const keep = (body: unknown): unknown => JSON.stringify(body).replaceAll(/p-[a-z0-9]{5}/g, 'p-…');
    await createPod(api, pod('', {}, { generateName: 'p-' }), { keep });
  });

  it('ADM-46 warns of pods and of what makes pods', async (api) => {
    await enforce(api, { warn: 'restricted', 'warn-version': 'latest' });
    await createPod(api, pod('p'), { keep: refusal });
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [plainContainer] } };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    };
    const apps = `/apis/apps/v1/namespaces/${api.namespace}`;
    await api.ask('POST', `${apps}/deployments`, { body: deployment, keep: refusal });
    await api.ask('PATCH', `${apps}/deployments/d`, {
      body: { spec: { replicas: 2 } },
      contentType: mergePatch,
      keep: refusal,
    });
    await api.ask('POST', `${apps}/daemonsets?dryRun=All`, {
      body: { ...deployment, kind: 'DaemonSet' },
      keep: refusal,
    });
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [plainContainer] } } },
    };
    const batch = `/apis/batch/v1/namespaces/${api.namespace}`;
    await api.ask('POST', `${batch}/jobs?dryRun=All`, { body: job, keep: refusal });
    const cron = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'c' },
      spec: { schedule: '@daily', jobTemplate: { spec: job.spec } },
    };
    await api.ask('POST', `${batch}/cronjobs?dryRun=All`, { body: cron, keep: refusal });
  });

  it('ADM-46 takes a deployment whose pods it would refuse', async (api) => {
    await enforce(api, { enforce: 'restricted' });
    const labels = { a: 'b' };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [plainContainer] } },
    };
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec };
    await api.ask('POST', `/apis/apps/v1/namespaces/${api.namespace}/deployments`, { body, keep: refusal });
  });

  it('ADM-45 lets a pod that is there change where that matters not', async (api) => {
    await createPod(api, pod('p'), { keep: refusal });
    await enforce(api, { enforce: 'restricted' });
    const path = `/api/v1/namespaces/${api.namespace}/pods/p`;
    await api.ask('PATCH', path, {
      body: { metadata: { labels: { a: 'b' } } },
      contentType: mergePatch,
      keep: refusal,
    });
    await api.ask('PATCH', path, {
      body: { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } },
      contentType: 'application/strategic-merge-patch+json',
      keep: refusal,
    });
  });

  it('ADM-45 refuses labels with invalid values', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    const label = (labels: object): Promise<unknown> =>
      api.ask('PATCH', path, {
        body: { metadata: { labels } },
        contentType: mergePatch,
        keep: (body) => ((body as { kind: string }).kind === 'Status' ? body : 'taken'),
      });
    await label({ [`${prefix}enforce`]: 'strict' });
    await label({ [`${prefix}enforce-version`]: 'newest' });
    await label({ [`${prefix}warn`]: 'strict', [`${prefix}audit`]: 'strict' });
    await label({ [`${prefix}enforce-version`]: 'v1.99' });
    await label({ [`${prefix}enforce`]: 'privileged' });
    const name = api.unique('labelled');
    await api.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { [`${prefix}enforce`]: 'x' } } },
    });
  });

  it('ADM-46 warns of pods that are there when a namespace becomes stricter', async (api) => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    await createPod(api, pod('root', contained({ privileged: true })), { keep: refusal });
    await createPod(api, pod('plain'), { keep: refusal });
    await createPod(api, pod('plain-too'), { keep: refusal });
    await api.settle();
    for (const level of ['baseline', 'restricted']) {
      const body = { metadata: { labels: { [`${prefix}enforce`]: level } } };
      await api.ask('PATCH', path, { body, contentType: mergePatch, keep: () => 'taken' });
    }
  });

  it('ADM-46 warns and refuses by different levels at once', async (api) => {
    await enforce(api, { enforce: 'baseline', warn: 'restricted', audit: 'restricted' });
    await createPod(api, pod('a', contained({ privileged: true })), { keep: refusal });
    await createPod(api, pod('b'), { keep: refusal });
  });
});
