import type { JsonObject } from '../../../src/base/index.ts';
import { filesConfig } from '../../support/pool-cluster.ts';
import type { PoolScenario } from './scenario.ts';
import { begin, config, file, pool, prefix, rest, scenario } from './scenario-actions.ts';

const unit = (name: string, contents: string, more: JsonObject = {}): JsonObject => ({ name, contents, ...more });
const ignition = (more: JsonObject): JsonObject => ({ config: { ignition: { version: '3.2.0' }, ...more } });

/** What a pool renders from MachineConfigs. */
export const renderingScenarios: readonly PoolScenario[] = [
  scenario(
    ['no-configs', 'a pool without MachineConfigs'],
    [],
    [pool('worker'), rest('degraded'), config('00-worker', 'worker', file('one')), rest('rendered')],
  ),
  scenario(
    ['selects-all-configs', 'a pool whose selector of configurations is empty'],
    [],
    [config('00-worker', 'worker', file('one')), pool('worker', { machineConfigSelector: {} }), rest('nothing')],
  ),
  scenario(
    ['merge-files', 'files of several configurations'],
    [],
    [
      config('50-b', 'worker', { config: filesConfig({ '/etc/a': 'later', '/etc/c': 'c' }) }),
      config('00-a', 'worker', { config: filesConfig({ '/etc/a': 'first', '/etc/b': 'b' }) }),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-units', 'units and drop-ins of several configurations'],
    [],
    [
      config(
        '00-a',
        'worker',
        ignition({
          systemd: {
            units: [
              unit('web.service', '[Service]\n', { enabled: true, dropins: [{ name: '10-a.conf', contents: 'a' }] }),
            ],
          },
        }),
      ),
      config(
        '50-b',
        'worker',
        ignition({
          systemd: {
            units: [
              {
                name: 'web.service',
                enabled: false,
                dropins: [
                  { name: '10-a.conf', contents: 'b' },
                  { name: '20-b.conf', contents: 'c' },
                ],
              },
              { name: 'bad.service', mask: true },
            ],
          },
        }),
      ),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-arguments', 'arguments, extensions, kernel and FIPS'],
    [],
    [
      config('00-a', 'worker', {
        kernelArguments: ['a', 'b'],
        extensions: ['usbguard'],
        kernelType: 'realtime',
        osImageURL: 'example.org/os:1',
      }),
      config('50-b', 'worker', {
        kernelArguments: ['a', 'c'],
        kernelType: 'default',
        fips: true,
        osImageURL: 'example.org/os:2',
      }),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['merge-compression', 'contents that replace compressed ones'],
    [],
    [
      config(
        '00-a',
        'worker',
        ignition({
          storage: {
            files: [
              {
                path: '/etc/a',
                contents: { source: 'data:;base64,H4sIAAAAAAAAAwMAAAAAAAAAAAA=', compression: 'gzip' },
              },
            ],
          },
        }),
      ),
      config(
        '50-b',
        'worker',
        ignition({ storage: { files: [{ path: '/etc/a', mode: 420, contents: { source: 'data:,plain' } }] } }),
      ),
      pool('worker'),
      rest('rendered'),
    ],
  ),
  scenario(
    ['custom-over-worker', 'a custom pool that takes the configurations of workers too'],
    [],
    [
      config('99-worker', 'worker', file('worker')),
      config('00-infra', 'infra', file('infra')),
      pool('infra', {
        machineConfigSelector: {
          matchExpressions: [{ key: `${prefix}role`, operator: 'In', values: ['worker', 'infra'] }],
        },
      }),
      rest('rendered'),
    ],
  ),
  scenario(
    ['kernel-type', 'a kernel type that does not exist'],
    [],
    [...begin(), config('50-b', 'worker', { kernelType: 'fast' }), rest('degraded')],
  ),
  scenario(
    ['kernel-devel', 'an extension that does not go with the kernel'],
    [],
    [...begin(), config('50-b', 'worker', { kernelType: 'realtime', extensions: ['kernel-devel'] }), rest('degraded')],
  ),
  scenario(
    ['ignition-version', 'a version of Ignition that does not exist'],
    [],
    [...begin(), config('50-b', 'worker', { config: { ignition: { version: '9.9.9' } } }), rest('degraded')],
  ),
  scenario(
    ['file-mode', 'a file with the bit setuid'],
    [],
    [
      ...begin(),
      config(
        '50-b',
        'worker',
        ignition({ storage: { files: [{ path: '/etc/x', mode: 2541, contents: { source: 'data:,x' } }] } }),
      ),
      rest('degraded'),
    ],
  ),
  scenario(
    ['relative-path', 'a file with a relative path'],
    [],
    [
      ...begin(),
      config('50-b', 'worker', ignition({ storage: { files: [{ path: 'etc/x', contents: { source: 'data:,x' } }] } })),
      rest('degraded'),
    ],
  ),
];
