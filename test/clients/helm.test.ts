import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatYaml, type JsonObject, objectAt, objectsAt, parseYamlDocuments } from '../../src/base/index.ts';
import { chartForms, chartImage, chartObjects, keyed } from '../support/index.ts';
import { helmForTests } from './helm-program.ts';

const { path: helmPath, why } = await helmForTests();
const helmTest = test.skipIf(why !== '');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-helm-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Printed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function helm(command: 'lint' | 'template', values: JsonObject): Promise<Printed> {
  const file = join(folder, 'values.yaml');
  await writeFile(file, formatYaml(values));
  const place = command === 'lint' ? ['deploy/chart', '--strict'] : ['longshore', 'deploy/chart'];
  // As on a cluster that has the kinds: an upgrade.
  const cluster =
    command === 'lint' ? [] : ['--api-versions', 'operators.coreos.com/v1,machineconfiguration.openshift.io/v1'];
  const args = [command, ...place, '-f', file, '--kube-version', '1.33.0', ...cluster];
  return spawnSync(helmPath, args, { encoding: 'utf8' });
}

async function templated(values: JsonObject): Promise<Map<string, JsonObject>> {
  const { status, stdout, stderr } = await helm('template', { image: chartImage, ...values });
  // Helm names the link to crds/ that the chart has in the repository.
  const problems = stderr.split('\n').filter((line) => line !== '' && !line.includes('found symbolic link in path: '));
  expect({ status, problems }).toEqual({ status: 0, problems: [] });
  return keyed(parseYamlDocuments('chart', stdout) as JsonObject[]);
}

helmTest.each(chartForms)(
  `helm makes of the overlay $overlay in $shards shards (olm: $olm) what longshore install applies${why}`,
  async (values) => {
    const given = { ...values };
    expect(await helm('lint', given)).toMatchObject({ status: 0 });
    expect(await templated(given)).toEqual(await chartObjects(values));
  },
);

helmTest(
  `helm makes of a provider and node agents what longshore install --machines --node-agents applies${why}`,
  async () => {
    const form = { overlay: 'self-signed', shards: 3, olm: false } as const;
    const actuator = 'http://actuator.machines:9000/';
    for (const nodeAgents of [true, false]) {
      const values = { ...form, machines: { actuator, nodeAgents } };
      expect(await helm('lint', values)).toMatchObject({ status: 0 });
      const expected = await chartObjects(form, { actuator, hasNodeAgents: nodeAgents });
      expect(await templated(values)).toEqual(expected);
    }
  },
);

const pods = {
  resources: { limits: { memory: '4Gi' } },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'infra', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
  priorityClassName: 'system-cluster-critical',
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
};
const extras = {
  extraArgs: ['--log-level=debug'],
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' }],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'corporate-ca' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/corporate-ca', readOnly: true }],
  podLabels: { tier: 'infra' },
  podAnnotations: { 'example.com/note': 'x' },
};

helmTest(`the values reach every pod and every object, in every overlay${why}`, async () => {
  const common = { commonLabels: { team: 'platform' }, commonAnnotations: { 'example.com/owner': 'us' } };
  const image = { imagePullPolicy: 'Always', imagePullSecrets: [{ name: 'pull' }] };
  const section = { ...pods, ...extras };
  for (const { overlay, shards, olm } of chartForms) {
    const made = await templated({ overlay, shards, olm, ...common, ...image, controllers: section, webhook: section });
    for (const [key, object] of made) {
      expect({ key, metadata: object['metadata'] }).toMatchObject({
        metadata: { labels: common.commonLabels, annotations: common.commonAnnotations },
      });
    }
    const deployments = [...made.values()].filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(shards + 1);
    for (const deployment of deployments) {
      const { resources, ...scheduling } = pods;
      const template = objectAt(deployment, 'spec', 'template') as JsonObject;
      expect(template['metadata']).toMatchObject({ labels: extras.podLabels, annotations: extras.podAnnotations });
      expect(template['spec']).toMatchObject({ ...scheduling, imagePullSecrets: image.imagePullSecrets });
      const [container] = objectsAt(template['spec'] as JsonObject, 'containers');
      expect(container).toMatchObject({ resources, env: extras.extraEnv, imagePullPolicy: 'Always' });
      expect(container?.['args']).toContain('--log-level=debug');
      expect(container?.['volumeMounts']).toEqual(expect.arrayContaining(extras.extraVolumeMounts));
      expect(objectsAt(template['spec'] as JsonObject, 'volumes')).toEqual(expect.arrayContaining(extras.extraVolumes));
      expect(objectAt(deployment, 'spec', 'selector', 'matchLabels')).not.toHaveProperty('team');
    }
  }
});

helmTest.each<{ name: string; values: JsonObject }>([
  { name: 'overlay', values: { overlay: 'none' } },
  { name: 'shards', values: { shards: 0 } },
  { name: 'shards', values: { shards: 9 } },
  { name: 'olm', values: { olm: 'yes' } },
  { name: 'controllers', values: { controllers: { resource: {} } } },
  { name: 'machines/actuator', values: { machines: { nodeAgents: true } } },
  { name: 'app', values: { webhook: { podLabels: { app: 'mine' } } } },
  { name: 'imagePullPolicy', values: { imagePullPolicy: 'Sometimes' } },
])(`helm refuses $name: $values${why}`, async ({ name, values }) => {
  const { status, stderr } = await helm('template', values);
  expect(status).not.toBe(0);
  expect(stderr).toContain(name);
});
