import { expect, test } from 'vitest';
import { parseOptions } from '../command/index.ts';
import { controllersMachineOptions, readControllersMachines, readUpMachines, upMachineOptions } from './machines.ts';

const up = (...args: string[]) => readUpMachines(parseOptions(upMachineOptions, args, {}).values, true).machineSettings;
const controllersOfShard = (shard: number, ...args: string[]) =>
  readControllersMachines(parseOptions(controllersMachineOptions, args, {}).values, shard).machineSettings;
const controllers = (...args: string[]) => controllersOfShard(1, ...args);

test('without options the provider is simulated in up, and machines are left alone by the controllers', () => {
  expect(up()).toEqual({ provider: undefined, deleteAnnotation: 'Prioritise', hooks: [], etcd: undefined });
  expect(controllers()).toBeUndefined();
});

test('a provider is a URL or a program, hooks and etcd have their settings', () => {
  expect(controllers('--machines', '--actuator', './provider')).toMatchObject({ provider: { program: './provider' } });
  const hooks = ['--machine-hook', 'replacement', '--machine-hook', 'log-flush=1m30s'];
  const etcd = ['--etcd-endpoint', 'http://10.0.0.1:2379', '--etcd-members', '5'];
  expect(up('--actuator', 'https://cloud.example.com/', ...hooks, ...etcd)).toMatchObject({
    provider: { url: 'https://cloud.example.com/' },
    hooks: [{ name: 'replacement' }, { name: 'log-flush', delaySeconds: 90 }],
    etcd: { endpoints: ['http://10.0.0.1:2379'], desiredMembers: 5, tls: undefined },
  });
});

test.each([
  [() => controllers('--machines'), '--machines: expected --actuator'],
  [() => controllersOfShard(2, '--machines', '--actuator', './provider'), 'expected the first shard, found shard 2'],
  [() => controllers('--actuator', './provider'), '--actuator: only with --machines'],
  [() => up('--actuator', 'http://['), 'expected http://HOST'],
  [() => up('--actuator', './provider', '--actuator-token-file', 'token'), 'only with a URL'],
  [() => up('--delete-annotation', 'delete'), 'expected Prioritise or Delete'],
  [() => up('--machine-hook', 'replace'), 'expected replacement, ordered-drain, volume-detach'],
  [() => up('--machine-hook', 'log-flush=-1s'), 'log-flush=DURATION'],
  [() => up('--etcd-endpoint', '10.0.0.1:2379'), 'expected http://HOST:PORT'],
  [() => up('--etcd-endpoint', 'https://10.0.0.1:2379', '--etcd-tls-dir', '/nowhere'), '/nowhere: ca.crt'],
  [() => up('--etcd-tls-dir', '/nowhere'), 'only with --etcd-endpoint'],
])('wrong options are refused: case %#', (read, problem) => {
  expect(read).toThrow(problem);
});
