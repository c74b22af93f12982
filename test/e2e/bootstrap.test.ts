import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap, crdAndObject } from './contents.ts';
import { longshoreOn, type Printed } from './program.ts';
import { bundleDeployment, errorOf, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose](), 60_000);

const bootstrap = (name: string, input: string): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(['alpha', 'bootstrap', name], { input });

const settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default, labels: {app: mine}}
data: {color: green}
`;
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };

test('N13 existing objects become those of a new BundleDeployment, which then corrects their drift', async () => {
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' } };
  const before = await world.kube.create({ ...theirs, data: { color: 'red', size: '1' } }, { fieldManager: 'someone' });
  const input = [settings, ...Object.values(crdAndObject)].join('---\n');
  const line = 'successfully bootstrapped bundle deployment "mine"\n';
  expect(await bootstrap('mine', input)).toEqual({ code: 0, stdout: line, stderr: '' });

  await world.deploymentWith('mine', installed);
  const after = await world.get('ConfigMap', 'settings', 'default');
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after['data']).toEqual({ color: 'green', size: '1' });
  expect(after.metadata.labels).toMatchObject({
    app: 'mine',
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': 'mine',
  });
  expect(after.metadata.ownerReferences).toMatchObject([{ kind: 'BundleDeployment', name: 'mine', controller: true }]);
});

test('N13 a second run reports no change', async () => {
  expect((await bootstrap('again', settings.replaceAll('settings', 'again'))).code).toBe(0);
  await world.deploymentWith('again', installed);
  expect(await bootstrap('again', settings.replaceAll('settings', 'again'))).toEqual({
    code: 0,
    stdout: 'bundle deployment "again" is already up-to-date\n',
    stderr: '',
  });
});

test.each([
  { name: 'nothing', input: '', text: 'standard input: found zero objects' },
  { name: 'words', input: 'hello', text: 'cannot unmarshal string' },
  { name: 'no YAML', input: 'a: b: c', text: 'error parsing standard input' },
])('N13 $name on standard input is refused, and nothing is created', async ({ input, text }) => {
  const printed = await bootstrap('nothing', input);
  expect(printed.code).toBe(1);
  expect(printed.stdout).toBe('');
  expect(printed.stderr).toContain(text);
  await expect(errorOf(world.get('BundleDeployment', 'nothing'))).resolves.toBeInstanceOf(Error);
});

async function installOther(name: string): Promise<void> {
  const source = world.imageSource(`${name}:v1`, { 'manifests/a.yaml': configMap(name, 'default', { by: name }) });
  await world.kube.create(bundleDeployment(name, source), { fieldManager: 'someone' });
  await world.deploymentWith(name, installed);
}

test('objects of another BundleDeployment, and of Longshore, are refused before anything is written', async () => {
  await installOther('theirs');
  const before = await world.get('ConfigMap', 'theirs', 'default');
  const first = configMap('first', 'default', { a: 'b' });
  const others = [
    { input: configMap('theirs', 'default', { by: 'mistake' }), text: 'belongs to BundleDeployment "theirs"' },
    {
      input: 'apiVersion: v1\nkind: Namespace\nmetadata: {name: rukpak-system}\n',
      text: 'belongs to Longshore itself',
    },
  ];
  for (const { input, text } of others) {
    const printed = await bootstrap('thief', [first, input].join('---\n'));
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toContain(text);
  }
  expect(await world.get('ConfigMap', 'theirs', 'default')).toEqual(before);
  await expect(errorOf(world.get('ConfigMap', 'first', 'default'))).resolves.toBeInstanceOf(Error);
  await expect(errorOf(world.get('BundleDeployment', 'thief'))).resolves.toBeInstanceOf(Error);
});

test('a BundleDeployment of that name which installs something else keeps that', async () => {
  await installOther('standing');
  const printed = await bootstrap('standing', configMap('added', 'default', { a: 'b' }));
  expect(printed).toMatchObject({ code: 1, stdout: '' });
  expect(printed.stderr).toContain('bundledeployment "standing" exists, and was not made by alpha bootstrap');
  await world.deploymentWith('standing', installed);
  expect(await world.get('ConfigMap', 'standing', 'default')).toMatchObject({ data: { by: 'standing' } });
  await expect(errorOf(world.get('ConfigMap', 'added', 'default'))).resolves.toBeInstanceOf(Error);
});
