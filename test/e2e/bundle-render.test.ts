import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { acmeCsv, installModes, sampleCrd } from '../support/index.ts';
import { type Printed, programPath, runLongshore, runProgram, writeFolder } from './program.ts';

const annotations = 'annotations: {operators.operatorframework.io.bundle.package.v1: acme-widget}';
const webhook = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'v.acme.example',
  deploymentName: 'acme-widget-controller-manager',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Fail',
  rules: [{ operations: ['CREATE'], apiGroups: ['widgets.acme.example'], apiVersions: ['v1'], resources: ['widgets'] }],
};

let dir = '';
let widget = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-render-test-'));
  widget = await folder(
    'widget',
    acmeCsv({ webhookdefinitions: [webhook], minKubeVersion: '1.25.0', version: '1.2.3' }),
  );
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function folder(name: string, csv: JsonObject): Promise<string> {
  return await writeFolder(join(dir, name), {
    'manifests/csv.yaml': JSON.stringify(csv),
    'metadata/annotations.yaml': annotations,
  });
}

function run(...args: readonly string[]): Promise<Printed> {
  return runLongshore(['bundle', ...args], { cwd: dir });
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

describe('longshore bundle render', () => {
  test('prints YAML documents for the namespace that the package suggests', async () => {
    const { code, stdout, stderr } = await run('render', widget);
    expect([code, stderr]).toEqual([0, '']);
    const objects = parseYamlDocuments('output', stdout) as unknown as Rendered[];
    expect(objects[0]).toMatchObject({
      kind: 'ServiceAccount',
      metadata: { name: 'acme-widget-controller', namespace: 'acme-widget-system' },
    });
    expect(objects.map(({ kind }) => kind)).toContain('Certificate');
  });

  test('prints one List in JSON, for a namespace to watch and another provider of certificates', async () => {
    const options = [
      '--install-namespace',
      'acme',
      '--watch-namespace',
      'shop',
      '--cert-provider',
      'openshift-service-ca',
    ];
    const { code, stdout } = await run('render', widget, ...options, '-o', 'json');
    expect(code).toBe(0);
    const { kind, items } = JSON.parse(stdout) as { kind: string; items: Rendered[] };
    expect(kind).toBe('List');
    const roles = items.filter((item) => item.kind === 'Role').map(({ metadata }) => metadata.namespace);
    expect(roles).toEqual(['shop', 'acme']);
    expect(items.some((item) => item.kind === 'Certificate')).toBe(false);
  });

  test('leaves out Secrets that only an installation fills, and explains how to create them', async () => {
    const { code, stdout, stderr } = await run('render', widget, '--cert-provider', 'self', '-o', 'json');
    expect(code).toBe(0);
    const { items } = JSON.parse(stdout) as { items: Rendered[] };
    expect(items.map(({ kind }) => kind)).not.toContain('Secret');
    expect(stderr).toContain('note: Secrets whose certificates Longshore issues when it installs the bundle');
    expect(stderr).toContain(
      'kubectl create secret tls -n acme-widget-system acme-widget-controller-manager-service-cert --cert FILE --key FILE',
    );
    await expect(run('render', widget, '--cert-provider', 'self', '-o', 'json')).resolves.toEqual({
      code,
      stdout,
      stderr,
    });
  });

  test('removes a conversion webhook of another owner that a CRD ships', async () => {
    const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }], {
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
    });
    const name = 'samples.samples.example.com';
    const owned = [{ name, kind: 'Sample', version: 'v1' }];
    const shipping = await writeFolder(join(dir, 'shipping'), {
      'manifests/csv.yaml': JSON.stringify(acmeCsv({ customresourcedefinitions: { owned } })),
      'manifests/crd.yaml': JSON.stringify(crd),
      'metadata/annotations.yaml': annotations,
    });
    expect((await run('render', shipping)).stdout).toContain('conversionReviewVersions');
    const dropped = await run('render', shipping, '--drop-foreign-conversion');
    expect([dropped.code, dropped.stdout.includes('conversion')]).toEqual([0, false]);
    expect(dropped.stdout).toContain(name);
  });

  test('removes amendments, all or by name', async () => {
    const options = ['--install-namespace', 'acme', '--watch-namespace', 'shop', '-o', 'json'];
    const rolesWith = async (...more: readonly string[]): Promise<number> => {
      const { stdout } = await run('render', widget, ...options, ...more);
      return (JSON.parse(stdout) as { items: Rendered[] }).items.filter(({ kind }) => kind === 'Role').length;
    };
    expect(await rolesWith('--amendments', 'none')).toBe(1);
    expect(await rolesWith('--without-amendment', 'own-namespace-roles')).toBe(1);
    const { code, stderr } = await run('render', widget, '--without-amendment', 'nonsense');
    expect(code).toBe(2);
    expect(stderr).toContain('invalid value for field "withoutAmendments.0": expected one of api-versions, ');
  });

  test('applies the configuration of a file to the Deployments, and names mistakes in it', async () => {
    const good = join(dir, 'config.yaml');
    await writeFile(good, 'nodeSelector: {disk: ssd}');
    const { stdout } = await run('render', widget, '--deployment-config', good);
    expect(stdout).toContain('disk: ssd');
    const bad = join(dir, 'bad.yaml');
    await writeFile(bad, 'env: [{value: x}]');
    const refused = await run('render', widget, '--deployment-config', bad);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('required field "deploymentConfig.env.0.name" is missing');
    expect((await run('render', widget, '--deployment-config', join(dir, 'none.yaml'))).stderr).toContain(
      'none.yaml: no such file or directory',
    );
  });

  test('reports what to set when a bundle needs a namespace to watch', async () => {
    const own = await folder('own', acmeCsv({ installModes: installModes('O') }));
    const { code, stderr } = await run('render', own);
    expect(code).toBe(2);
    expect(stderr).toContain('required field "watchNamespace" is missing');
    expect(stderr).toContain('The bundle supports the install modes OwnNamespace: set --watch-namespace to fit.');
  });

  test('refuses a bundle that is not registry+v1, with its name', async () => {
    const plain = await writeFolder(join(dir, 'plain'), { 'manifests/a.yaml': 'kind: ConfigMap' });
    expect((await run('render', plain)).stderr).toContain(
      `${plain}: open metadata/annotations.yaml: no such file or directory`,
    );
    expect((await run('render', join(dir, 'missing/'))).code).toBe(2);
  });
});

test('a reader that closes the pipe early is not a failure', async () => {
  const large = await folder('large', acmeCsv({}, { annotations: { 'alm-examples': 'x'.repeat(250_000) } }));
  const command = `"${process.execPath}" "${programPath}" bundle render "${large}" | head -1`;
  expect(await runProgram('sh', ['-c', command])).toEqual({ code: 0, stdout: '---\n', stderr: '' });
});

describe('longshore bundle explain', () => {
  test('describes what an installation does', async () => {
    const { code, stdout } = await run('explain', widget);
    expect(code).toBe(0);
    for (const line of [
      'acme-widget 1.2.3 (acme-widget.v1.2.3)',
      'Needs Kubernetes 1.25.0 or later.',
      'The following applies when it watches all namespaces.',
      '  while its webhook v.acme.example is unavailable, CREATE of widgets (widgets.acme.example) is denied',
      '  the image registry.example/acme:v1 is referenced by tag and may change',
      'Requires the Pod Security level baseline, because of:',
      '  acme-widget-controller, in the whole cluster',
      '    get, list, watch on widgets (widgets.acme.example)',
      '  v.acme.example (ValidatingAdmissionWebhook, on failure: Fail)',
      '    CREATE of widgets (widgets.acme.example)',
    ]) {
      expect(stdout).toContain(`${line}\n`);
    }
  });

  test('reports it in JSON for programs', async () => {
    const { stdout } = await run('explain', widget, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      packageName: 'acme-widget',
      images: ['registry.example/acme:v1'],
      suggestedNamespace: 'acme-widget-system',
      watches: 'all namespaces',
      powers: [],
      podSecurity: { level: 'baseline' },
    });
  });
});
