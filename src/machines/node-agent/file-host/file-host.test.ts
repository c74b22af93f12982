import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesConfig } from '../../../../test/support/pool-cluster.ts';
import type { JsonObject } from '../../../base/index.ts';
import { type NodeConfig, readNodeConfig } from '../node-config.ts';
import { FileHost, type NodeCommand } from './file-host.ts';

let root: string;
let outside: string;
let commands: NodeCommand[];
let host: FileHost;

const own = { user: { id: process.getuid?.() ?? 0 }, group: { id: process.getgid?.() ?? 0 } };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'node-'));
  outside = await mkdtemp(join(tmpdir(), 'outside-'));
  commands = [];
  host = new FileHost({ root, run: async (command) => void commands.push(command) });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

function config(files: Readonly<Record<string, string>>, more: JsonObject = {}): NodeConfig {
  const ignition = filesConfig(files) as { storage: { files: JsonObject[] } } & JsonObject;
  const list = ignition.storage.files.map((file) => ({ ...file, ...own }));
  return readNodeConfig({
    metadata: { name: 'c' },
    spec: { config: { ...ignition, storage: { files: list } }, ...more },
  });
}

const none = readNodeConfig({ metadata: { name: '' }, spec: {} });
const at = (path: string): string => join(root, path);
const textAt = (path: string): Promise<string> => readFile(at(path), 'utf8');

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
}

test('files are written with their modes, and nothing differs then', async () => {
  const desired = config({ '/etc/app/app.conf': 'a=1' });
  expect(await host.drift(desired)).toBe('file "/etc/app/app.conf" does not exist');
  await host.apply(none, desired);
  expect([await textAt('etc/app/app.conf'), (await stat(at('etc/app/app.conf'))).mode & 0o777]).toEqual(['a=1', 0o644]);
  expect(await host.drift(desired)).toBeUndefined();
  expect((await readdir(at('etc/app'))).filter((name) => name.startsWith('.longshore'))).toEqual([]);
});

test('drift of content, mode and presence is reported', async () => {
  const desired = config({ '/etc/a': 'one' });
  await host.apply(none, desired);
  await writeFile(at('etc/a'), 'other');
  expect(await host.drift(desired)).toBe('content mismatch for file "/etc/a"');
  await writeFile(at('etc/a'), 'one');
  await chmod(at('etc/a'), 0o666);
  expect(await host.drift(desired)).toBe('mode mismatch for file: "/etc/a"; expected: 644; received: 666');
  await rm(at('etc/a'));
  expect(await host.drift(desired)).toBe('file "/etc/a" does not exist');
});

test('a file that a configuration no longer has is removed, and one that was there before comes back', async () => {
  await put('etc/old', 'of the system');
  const [first, second] = [config({ '/etc/old': 'ours', '/etc/new': 'ours' }), config({ '/etc/other': 'x' })];
  await host.apply(none, first);
  await host.apply(first, second);
  expect([await textAt('etc/old'), await textAt('etc/other')]).toEqual(['of the system', 'x']);
  await expect(textAt('etc/new')).rejects.toThrow('ENOENT');
});

test('what no configuration has put there is not removed', async () => {
  await put('etc/mine', 'mine');
  await host.apply(config({ '/etc/a': 'x' }), config({ '/etc/b': 'x' }));
  expect(await textAt('etc/mine')).toBe('mine');
});

test('units, drop-ins and their links are written, masked ones are links to /dev/null, and all go together', async () => {
  const unit = {
    name: 'web.service',
    enabled: true,
    contents: '[Service]\nExecStart=/bin/web\n[Install]\nRequiredBy=multi-user.target\n',
  };
  const dropin = { name: 'crio.service', dropins: [{ name: '10-ours.conf', contents: '[Service]\n' }] };
  const units = [unit, dropin, { name: 'bad.service', mask: true }];
  const spec = { config: { ignition: { version: '3.4.0' }, systemd: { units } } };
  const asOwner = readNodeConfig({ metadata: { name: 'c' }, spec });
  await host.apply(none, asOwner);
  const folder = 'etc/systemd/system';
  expect(await readlink(at(`${folder}/multi-user.target.requires/web.service`))).toBe(
    '/etc/systemd/system/web.service',
  );
  expect(await readlink(at(`${folder}/bad.service`))).toBe('/dev/null');
  expect(await textAt(`${folder}/crio.service.d/10-ours.conf`)).toBe('[Service]\n');
  expect(commands).toContainEqual(['systemctl', 'daemon-reload']);
  await host.apply(asOwner, none);
  expect(await readdir(at(folder))).toEqual([]);
});

test('arguments of the kernel are written for the boot loader', async () => {
  await host.apply(none, config({}, { kernelArguments: ['nosmt', 'mitigations=auto'] }));
  expect(await textAt('etc/default/grub.d/50-longshore.cfg')).toContain(
    'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX nosmt mitigations=auto"',
  );
  expect(commands).toContainEqual(['update-grub']);
});

test.each(['a"; reboot #', '$(reboot)', '`reboot`', 'a\nb', "a'b", 'a\\'])(
  'the kernel argument %j is refused',
  (argument) => {
    expect(() => config({}, { kernelArguments: [argument] })).toThrow(/has characters that are not allowed/);
  },
);

test('an update that fails leaves everything as it was', async () => {
  await put('etc/a', 'before');
  await mkdir(at('etc/z'), { recursive: true });
  const desired = config({ '/etc/a': 'after', '/etc/n/new': 'x', '/etc/z': 'a folder is there' });
  await expect(host.apply(none, desired)).rejects.toThrow('/etc/z: it is neither a file nor a symbolic link');
  expect(await textAt('etc/a')).toBe('before');
  await expect(textAt('etc/n/new')).rejects.toThrow('ENOENT');
});

test('a program that fails rolls the files back', async () => {
  const failing = new FileHost({ root, run: () => Promise.reject(new Error('systemctl: not found')) });
  await put('etc/a', 'before');
  await expect(failing.apply(none, config({ '/etc/a': 'after' }))).rejects.toThrow('systemctl: not found');
  expect(await textAt('etc/a')).toBe('before');
});

test('an update that was killed in the middle is completed', async () => {
  await put('etc/a', 'before');
  const desired = config({ '/etc/a': 'after', '/etc/b': 'after' });
  // The first file was written, and then the agent was killed.
  await host.apply(none, config({ '/etc/a': 'after' }));
  await host.apply(none, desired);
  expect(await host.drift(desired)).toBeUndefined();
  await host.apply(desired, none);
  expect(await textAt('etc/a')).toBe('before');
});

test('a symbolic link at the end of a path is replaced, and what it leads to stays', async () => {
  await writeFile(join(outside, 'secret'), 'secret');
  await mkdir(at('etc'), { recursive: true });
  await symlink(join(outside, 'secret'), at('etc/a'));
  await host.apply(none, config({ '/etc/a': 'ours' }));
  expect([await textAt('etc/a'), await readFile(join(outside, 'secret'), 'utf8')]).toEqual(['ours', 'secret']);
  expect((await lstat(at('etc/a'))).isFile()).toBe(true);
});

test('a symbolic link on the way never leads out of the root: it is followed as the node would', async () => {
  await symlink(outside, at('etc'));
  await symlink('../../../../../../../../../../tmp', at('var'));
  await host.apply(none, config({ '/etc/a': 'ours', '/var/b': 'ours' }));
  expect(await readdir(outside)).toEqual([]);
  expect([await readFile(join(root, outside, 'a'), 'utf8'), await textAt('tmp/b')]).toEqual(['ours', 'ours']);
});

test('links of the system are followed within the root', async () => {
  await mkdir(at('usr/etc'), { recursive: true });
  await symlink('usr/etc', at('etc'));
  await host.apply(none, config({ '/etc/a': 'ours' }));
  expect(await textAt('usr/etc/a')).toBe('ours');
});

test.skipIf(process.getuid?.() !== 0)(
  'a link that another user has left on the way is refused (skipped unless root)',
  async () => {
    await mkdir(at('tmp'));
    await symlink(outside, at('tmp/app'));
    await lchown(at('tmp/app'), 1000, 1000);
    await expect(host.apply(none, config({ '/tmp/app/a': 'ours' }))).rejects.toThrow(
      'a symbolic link on the way belongs to user 1000',
    );
    expect(await readdir(outside)).toEqual([]);
  },
);

test('a folder that is replaced by a link again and again never leads a write out of the root', async () => {
  await mkdir(at('tmp'));
  let isDone = false;
  const attack = (async () => {
    while (!isDone) {
      await rm(at('tmp/app'), { recursive: true, force: true }).catch(() => undefined);
      await symlink(outside, at('tmp/app')).catch(() => undefined);
      await rm(at('tmp/app'), { force: true }).catch(() => undefined);
      await mkdir(at('tmp/app')).catch(() => undefined);
    }
  })();
  for (let round = 0; round < 50; round++) {
    await host.apply(none, config({ '/tmp/app/a': String(round) })).catch(() => undefined);
  }
  isDone = true;
  await attack;
  expect(await readdir(outside)).toEqual([]);
});

test('links in a circle end', async () => {
  await symlink('b', at('a'));
  await symlink('a', at('b'));
  await expect(host.apply(none, config({ '/a/x': 'ours' }))).rejects.toThrow('too many symbolic links on the way');
});

test.each([
  '/etc/../shadow',
  'etc/a',
  '/etc//a',
  '/proc/sys/kernel/x',
  '/sys/x',
  '/dev/sda',
  '/etc/a/',
  '/var/lib/longshore/node-agent/journal.json',
  '/a\0b',
  '/',
])('the path %j is refused', (path) => {
  expect(() => config({ [path]: 'x' })).toThrow(/^file /);
});

test('modes beyond permissions, remote contents, names of units with slashes and ids that are no numbers are refused', () => {
  const spec = (file: JsonObject): JsonObject => ({
    config: { ignition: { version: '3.4.0' }, storage: { files: [{ path: '/etc/a', ...file }] } },
  });
  const read = (file: JsonObject) => () => readNodeConfig({ metadata: { name: 'c' }, spec: spec(file) });
  expect(read({ mode: 0o4755 })).toThrow('invalid mode 04755 for /etc/a, cannot exceed 0777');
  expect(read({ mode: -1 })).toThrow('cannot exceed 0777');
  expect(read({ contents: { source: 'https://example.org/a' } })).toThrow('contents.source must be a data URL');
  expect(read({ user: { id: -1 } })).toThrow('user must be a number, or root');
  expect(read({ user: { name: 'web' } })).toThrow('user must be a number, or root');
  const units = [{ name: '../../etc/passwd.service', contents: 'x' }];
  expect(() =>
    readNodeConfig({
      metadata: { name: 'c' },
      spec: { config: { ignition: { version: '3.4.0' }, systemd: { units } } },
    }),
  ).toThrow('not a name of a systemd unit');
});

test('contents that grow without end when they are decompressed are refused', async () => {
  const { gzipSync } = await import('node:zlib');
  const source = `data:;base64,${gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64')}`;
  const files = [{ path: '/etc/a', contents: { source, compression: 'gzip' } }];
  expect(() =>
    readNodeConfig({
      metadata: { name: 'c' },
      spec: { config: { ignition: { version: '3.4.0' }, storage: { files } } },
    }),
  ).toThrow(/cannot be decompressed/);
});

test('a journal survives, and is only for the agent to read', async () => {
  await host.remember({ update: { config: 'c', step: 'written', bootId: 'b' } });
  expect(await new FileHost({ root }).recall()).toEqual({ update: { config: 'c', step: 'written', bootId: 'b' } });
  expect((await stat(at('var/lib/longshore/node-agent/journal.json'))).mode & 0o777).toBe(0o600);
});
