import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseOptions } from '../../cli/command/options.ts';
import { readConfig, upOptions } from '../../cli/settings/up.ts';
import { type Platform, startPlatform } from '../../cli/up/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { eventually, fileEntries, tarFile } from '../support/index.ts';
import { chosenKubectls, KubectlHome } from './kubectl.ts';

const kubectls = await chosenKubectls();
const namespace = 'rukpak-system';
let dataDir = '';
let platform: Platform;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'longshore-forward-'));
  const config = readConfig(parseOptions(upOptions, ['--data-dir', dataDir], {}).values);
  platform = await startPlatform(config, { log: silentLogger() });
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

async function createUploadBundle(name: string): Promise<void> {
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'upload', upload: {} } };
  const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name }, spec };
  await platform.kube.create(bundle, { fieldManager: 'test' });
}

async function upload(port: string, bundleName: string, body: Buffer): Promise<number | undefined> {
  const secret = await platform.kube.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'rukpak-ca' });
  const { 'ca.crt': ca = '' } = secret['data'] as Record<string, string>;
  const headers = { authorization: `Bearer ${platform.apiServer?.adminToken}`, 'content-length': body.length };
  const url = `https://localhost:${port}/uploads/${bundleName}.tgz`;
  const sent = request(url, { method: 'PUT', ca: Buffer.from(ca, 'base64'), headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

if (kubectls.length === 0) test.skip('no kubectl is on this machine', () => {});

describe.each(kubectls)('kubectl $version', (kubectl) => {
  test.each([['true'], ['false']])('uploads a bundle through port-forward, WebSockets %s', async (webSockets) => {
    const bundleName = `uploaded-${kubectl.minor}-${webSockets}`;
    await createUploadBundle(bundleName);
    const kubeconfig = await readFile(platform.kubeconfigPath, 'utf8');
    await using home = await KubectlHome.open(kubectl, { kubeconfig, namespace });
    const env = { KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets };
    const child = home.start('port-forward svc/core :443', [], env);
    try {
      let shown = '';
      child.stdout?.on('data', (text: Buffer) => (shown += text.toString()));
      await eventually(() => expect(shown).toMatch(/Forwarding from 127.0.0.1:\d+ -> 8443/));
      const port = /127.0.0.1:(\d+)/.exec(shown)?.[1] ?? '';
      const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: forwarded, namespace: default}\n';
      expect(await upload(port, bundleName, gzipSync(tarFile(fileEntries({ 'manifests/map.yaml': map }))))).toBe(201);
      const ref = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: bundleName };
      await eventually(async () =>
        expect(await platform.kube.get(ref)).toMatchObject({ status: { phase: 'Unpacked' } }),
      );
    } finally {
      child.kill();
    }
  });
});
