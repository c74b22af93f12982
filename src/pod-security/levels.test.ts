import { expect, test } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { podSecurityFindings, podSecurityLevel } from './levels.ts';
import { podViewOf } from './pod-view.ts';

const strict = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  capabilities: { drop: ['ALL'] },
};

function template(ofPod: JsonObject = {}, ofContainer: JsonObject = {}, context: JsonObject = {}): JsonObject {
  const container = { name: 'a', securityContext: { ...strict, ...context }, ...ofContainer };
  return { spec: { containers: [container], ...ofPod } };
}

const volume = (kind: string): JsonObject => ({ volumes: [{ name: 'v', [kind]: {} }] });

test.each<[string, string, JsonObject]>([
  ['restricted', 'a container that has given everything up', template()],
  ['baseline', 'a container without a security context', { spec: { containers: [{ name: 'a' }] } }],
  ['baseline', 'an init container without a security context', template({ initContainers: [{ name: 'b' }] })],
  ['baseline', 'root by number', template({}, {}, { runAsUser: 0 })],
  ['baseline', 'root by number in the Pod', template({ securityContext: { runAsUser: 0 } })],
  ['baseline', 'escalation', template({}, {}, { allowPrivilegeEscalation: true })],
  ['baseline', 'no seccomp profile', template({}, {}, { seccompProfile: null })],
  [
    'restricted',
    'seccomp and user from the Pod',
    template(
      { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } } },
      {},
      { seccompProfile: null, runAsNonRoot: null },
    ),
  ],
  ['privileged', 'seccomp switched off', template({}, {}, { seccompProfile: { type: 'Unconfined' } })],
  ['baseline', 'capabilities that are kept', template({}, {}, { capabilities: { drop: ['KILL'] } })],
  ['restricted', 'low ports', template({}, {}, { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })],
  ['baseline', 'an ordinary capability', template({}, {}, { capabilities: { drop: ['ALL'], add: ['CHOWN'] } })],
  ['privileged', 'a great capability', template({}, {}, { capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } })],
  ['privileged', 'a privileged container', template({}, {}, { privileged: true })],
  ['privileged', 'the network of the host', template({ hostNetwork: true })],
  ['privileged', 'the processes of the host', template({ hostPID: true })],
  ['privileged', 'a process of a Windows host', template({}, {}, { windowsOptions: { hostProcess: true } })],
  ['privileged', 'a port of the host', template({}, { ports: [{ containerPort: 1, hostPort: 1 }] })],
  ['restricted', 'a port', template({}, { ports: [{ containerPort: 1, hostPort: 0 }] })],
  ['privileged', 'a probe of another host', template({}, { livenessProbe: { httpGet: { host: '10.0.0.1' } } })],
  ['privileged', 'a folder of the host', template(volume('hostPath'))],
  ['restricted', 'a volume of a Secret', template(volume('secret'))],
  ['baseline', 'a network volume', template(volume('nfs'))],
  ['privileged', 'a type of SELinux', template({}, {}, { seLinuxOptions: { type: 'spc_t' } })],
  ['privileged', 'AppArmor switched off', template({}, {}, { appArmorProfile: { type: 'Unconfined' } })],
  [
    'privileged',
    'AppArmor switched off by annotation',
    {
      ...template(),
      metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } },
    },
  ],
  ['privileged', 'an unmasked /proc', template({}, {}, { procMount: 'Unmasked' })],
  ['privileged', 'a sysctl', template({ securityContext: { sysctls: [{ name: 'kernel.msgmax' }] } })],
  ['restricted', 'a safe sysctl', template({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies' }] } })],
  ['restricted', 'what has no form at all', { spec: { containers: 7, volumes: 'x' } }],
])('%s lets in %s', (level, _name, pod) => {
  expect(podSecurityLevel([pod])).toBe(level);
});

test('the loosest Pod decides, and without Pods nothing is let in that need not be', () => {
  expect(podSecurityLevel([template(), template({ hostIPC: true }), { spec: { containers: [{}] } }])).toBe(
    'privileged',
  );
  expect(podSecurityLevel([])).toBe('restricted');
});

test('a rule counts from the version of Kubernetes on that brought it', () => {
  const pod = podViewOf(template({}, { livenessProbe: { httpGet: { host: '10.0.0.1' } } }));
  expect(podSecurityFindings('baseline', 33, pod)).toEqual([]);
  expect(podSecurityFindings('baseline', 34, pod)).toHaveLength(1);
});
