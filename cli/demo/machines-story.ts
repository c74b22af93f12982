import { patience, type Step } from './story.ts';

const namespace = 'openshift-machine-api';
const place = ['-n', namespace] as const;

const hooks = {
  migrate: { stage: 'preDrain', name: 'MigrateImportantApp', owner: 'my-app-migration-controller' },
  backup: { stage: 'preTerminate', name: 'BackupFileSystem', owner: 'my-backup-controller' },
  detach: { stage: 'preTerminate', name: 'WaitForStorageDetach', owner: 'my-custom-storage-detach-controller' },
} as const;

function hookLines(stage: string, present: readonly (keyof typeof hooks)[]): string {
  const those = present.map((key) => hooks[key]).filter((hook) => hook.stage === stage);
  const lines = those.map(({ name, owner }) => `      - name: ${name}\n        owner: ${owner}\n`);
  return those.length === 0 ? '' : `    ${stage}:\n${lines.join('')}`;
}

function machineYaml(present: readonly (keyof typeof hooks)[]): string {
  const listed = hookLines('preDrain', present) + hookLines('preTerminate', present);
  return `apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata:
  name: database
  namespace: ${namespace}
  labels:
    machine.openshift.io/cluster-api-cluster: longshore
spec:
${listed === '' ? '' : `  lifecycleHooks:\n${listed}`}  providerSpec:
    value: {}
`;
}

const withHooks = (...present: (keyof typeof hooks)[]): readonly Step[] => [
  { write: 'machine.yaml', content: machineYaml(present) },
  { kubectl: ['apply', '-f', 'machine.yaml'] },
];

const ownersChapter: readonly Step[] = [
  { comment: 'A machine becomes a Node. Three programs have work to do before it is deleted: each has a hook.' },
  ...withHooks('migrate', 'backup', 'detach'),
  { kubectl: ['wait', 'machine/database', ...place, '--for=jsonpath={.status.phase}=Running', patience] },
  { longshore: ['machine', 'hooks', 'database'] },
  { longshore: ['node', 'drain', 'database', '--plan'] },
  { longshore: ['machine', 'delete', 'database', '--yes'] },
  { kubectl: ['wait', 'machine/database', ...place, '--for=condition=DeletionHeld', patience] },
  { longshore: ['machine', 'describe', 'database'] },
  { comment: 'The application has moved: its program removes its hook, and the node is drained.' },
  ...withHooks('backup', 'detach'),
  { kubectl: ['wait', 'machine/database', ...place, '--for=condition=Drained', patience] },
];

const backupYaml = `apiVersion: batch/v1
kind: Job
metadata:
  name: backup-database
  namespace: ${namespace}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: backup
          image: example.com/backup
`;

const backupChapter: readonly Step[] = [
  { comment: 'Before the instance ends, its file system is backed up. Only then does that program remove its hook.' },
  { write: 'backup.yaml', content: backupYaml },
  { kubectl: ['apply', '-f', 'backup.yaml'] },
  { kubectl: ['wait', 'job/backup-database', ...place, '--for=condition=Complete', patience] },
  ...withHooks('detach'),
  { longshore: ['machine', 'describe', 'database'] },
  { comment: 'The last owner does not run any more. Its hook is removed by force, which leaves a Warning.' },
  { longshore: ['machine', 'hooks', 'database', '--remove', 'WaitForStorageDetach', '--yes'] },
  { kubectl: ['wait', 'machine/database', ...place, '--for=delete', patience] },
];

const memberLabels = `    machine.openshift.io/cluster-api-cluster: longshore
    group: members
`;
const memberYaml = `apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata:
  name: member
  namespace: ${namespace}
  labels:
${memberLabels}spec:
  providerSpec:
    value: {}
`;
const membersYaml = `apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata:
  name: members
  namespace: ${namespace}
spec:
  replicas: 1
  selector:
    matchLabels:
      group: members
  template:
    metadata:
      labels:
        machine.openshift.io/cluster-api-cluster: longshore
        group: members
    spec:
      providerSpec:
        value:
          startSeconds: 3
`;

const ready = '--for=jsonpath={.status.readyReplicas}=1';

const replacementChapter: readonly Step[] = [
  {
    comment:
      'A member of a group must not go before another one has taken its place. The hook of the replacement holds it until the new Node is ready.',
  },
  { write: 'member.yaml', content: memberYaml },
  { kubectl: ['apply', '-f', 'member.yaml'] },
  { write: 'members.yaml', content: membersYaml },
  { kubectl: ['apply', '-f', 'members.yaml'] },
  { kubectl: ['wait', 'machineset/members', ...place, ready, patience] },
  { longshore: ['machine', 'delete', 'member', '--yes'] },
  { longshore: ['machine', 'list'] },
  { kubectl: ['wait', 'machine/member', ...place, '--for=delete', patience] },
  { kubectl: ['wait', 'machineset/members', ...place, ready, patience] },
  { longshore: ['machine', 'list'] },
];

const motdYaml = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 50-motd
  labels:
    machineconfiguration.openshift.io/role: worker
spec:
  config:
    ignition:
      version: 3.4.0
    storage:
      files:
        - path: /etc/motd
          mode: 0644
          contents:
            source: data:,Welcome%0A
`;

const fiveReady = '--for=jsonpath={.status.readyReplicas}=5';
const allInPool = '--for=jsonpath={.status.updatedMachineCount}=6';

/** One Node first, which is watched for a while; then two at a time. */
const rollout = '{"spec":{"maxUnavailable":2,"rollout":{"canary":{"count":1,"bake":"15s"}}}}';

const nodesChapter: readonly Step[] = [
  {
    comment:
      'The Nodes of five workers and of the new member are in one pool. Two of them may be unavailable at a time, and the first one is a canary: others wait until it has been updated and ready for 15 seconds. While the pool is paused, a file on each Node is about to change.',
  },
  { kubectl: ['wait', 'machineset/workers', ...place, fiveReady, patience] },
  { kubectl: ['wait', 'mcp/worker', allInPool, patience] },
  { kubectl: ['patch', 'mcp', 'worker', '--type=merge', '-p', rollout] },
  { longshore: ['pool', 'pause', 'worker'] },
  { write: 'motd.yaml', content: motdYaml },
  { kubectl: ['apply', '-f', 'motd.yaml'] },
  { kubectl: ['wait', 'mcp/worker', '--for=condition=Updated=false', patience] },
  { longshore: ['pool', 'list'] },
  { comment: 'Each Node is cordoned, drained, changed, restarted and uncordoned. The canary goes first.' },
  { longshore: ['pool', 'resume', 'worker'] },
  { kubectl: ['wait', 'mcp/worker', '--for=jsonpath={.status.updatedMachineCount}=1', patience] },
  { longshore: ['pool', 'status', 'worker'] },
  { comment: 'It stays ready: the others follow, never more than two at once.' },
  { longshore: ['pool', 'status', 'worker', '--wait', patience] },
  { longshore: ['pool', 'status', 'worker'] },
];

/** Further options of the cluster of this story. */
export const machinesOptions: readonly string[] = ['--no-olm', '--machines', '5', '--machine-hook', 'replacement'];

/** Machines, what happens before they are deleted, and an update of their Nodes. */
export function machinesStory(): readonly Step[] {
  return [...ownersChapter, ...backupChapter, ...replacementChapter, ...nodesChapter];
}
