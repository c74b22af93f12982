import { allOf, current, failed, type Health, type HealthRule, inProgress, type Subject, textOf } from './health.ts';

function desiredReplicas({ spec }: Subject): number {
  return typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
}

export const deploymentHealth: HealthRule = (subject) => {
  const desired = desiredReplicas(subject);
  const progressing = subject.condition('Progressing');
  if (textOf(progressing, 'reason') === 'ProgressDeadlineExceeded') return failed('Progress deadline exceeded');
  const hasDeadline = subject.spec['progressDeadlineSeconds'] !== undefined;
  const [replicas, updated] = [subject.count('replicas'), subject.count('updatedReplicas')];
  const [available, ready] = [subject.count('availableReplicas'), subject.count('readyReplicas')];
  return allOf([
    [replicas >= desired, `Replicas: ${replicas}/${desired}`],
    [updated >= desired, `Updated: ${updated}/${desired}`],
    [replicas <= desired, `Pending termination: ${replicas - desired}`],
    [available >= updated, `Available: ${available}/${updated}`],
    [ready >= desired, `Ready: ${ready}/${desired}`],
    [!hasDeadline || textOf(progressing, 'reason') === 'NewReplicaSetAvailable', 'ReplicaSet not Available'],
    [textOf(subject.condition('Available'), 'status') === 'True', 'Deployment not Available'],
  ]);
};

export const statefulSetHealth: HealthRule = (subject) => {
  const strategy = subject.spec['updateStrategy'] as
    | { type?: string; rollingUpdate?: { partition?: number } }
    | undefined;
  if (strategy?.type === 'OnDelete') return current;
  const desired = desiredReplicas(subject);
  const partition = strategy?.rollingUpdate?.partition ?? 0;
  const [replicas, ready] = [subject.count('replicas'), subject.count('readyReplicas')];
  const [updated, running] = [subject.count('updatedReplicas'), subject.count('currentReplicas')];
  const basics = allOf([
    [replicas >= desired, `Replicas: ${replicas}/${desired}`],
    [ready >= desired, `Ready: ${ready}/${desired}`],
    [replicas <= desired, `Pending termination: ${replicas - desired}`],
  ]);
  if (basics.state !== 'Current') return basics;
  if (partition > 0) return allOf([[updated >= desired - partition, `updated: ${updated}/${desired - partition}`]]);
  return allOf([
    [running >= desired, `current: ${running}/${desired}`],
    [
      subject.status['currentRevision'] === subject.status['updateRevision'],
      'Waiting for updated revision to match current',
    ],
  ]);
};

export const daemonSetHealth: HealthRule = (subject) => {
  const { generation, status } = subject;
  const desired = subject.count('desiredNumberScheduled');
  const check = (name: string, field: string): readonly [boolean, string] => {
    const count = subject.count(field);
    return [count >= desired, `${name}: ${count}/${desired}`];
  };
  return allOf([
    [generation !== undefined, 'DaemonSet metadata.generation not found'],
    [status['observedGeneration'] !== undefined, 'DaemonSet status.observedGeneration not found'],
    [status['desiredNumberScheduled'] !== undefined, 'Missing .status.desiredNumberScheduled'],
    check('Current', 'currentNumberScheduled'),
    check('Updated', 'updatedNumberScheduled'),
    check('Available', 'numberAvailable'),
    check('Ready', 'numberReady'),
  ]);
};

export const replicaSetHealth: HealthRule = (subject) => {
  if (textOf(subject.condition('ReplicaFailure'), 'status') === 'True') {
    return inProgress('Replica Failure condition. Check Pods');
  }
  const desired = desiredReplicas(subject);
  const replicas = subject.count('replicas');
  const check = (name: string, field: string): readonly [boolean, string] => {
    const count = subject.count(field);
    return [count >= desired, `${name}: ${count}/${desired}`];
  };
  return allOf([
    check('Labelled', 'fullyLabeledReplicas'),
    check('Available', 'availableReplicas'),
    check('Ready', 'readyReplicas'),
    [replicas <= desired, `Pending termination: ${replicas - desired}`],
  ]);
};

export const jobHealth: HealthRule = (subject): Health => {
  const failure = subject.condition('Failed');
  if (textOf(failure, 'status') === 'True') {
    const { parallelism, completions = parallelism } = subject.spec;
    return failed(
      `Job Failed. failed: ${subject.count('failed')}/${typeof completions === 'number' ? completions : 1}`,
    );
  }
  return allOf([[subject.status['startTime'] !== undefined, 'Job not started']]);
};

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

function crashLoops({ status }: Subject): string[] {
  return [status['initContainerStatuses'], status['containerStatuses']]
    .flatMap((list) => (Array.isArray(list) ? (list as ContainerStatus[]) : []))
    .filter(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff')
    .map(({ name }) => name ?? '');
}

/** How long a pod may look for a node before that counts as a failure. */
const schedulingMs = 15_000;

function pendingHealth(subject: Subject): Health {
  const scheduled = subject.condition('PodScheduled');
  const isHomeless = textOf(scheduled, 'status') === 'False' && textOf(scheduled, 'reason') === 'Unschedulable';
  if (!isHomeless) return inProgress('Pod is in the Pending phase');
  const untilMs = subject.createdMs + schedulingMs;
  if (!(subject.nowMs < untilMs)) return failed('Pod could not be scheduled');
  return { ...inProgress('Pod has not been scheduled'), untilMs };
}

export const podHealth: HealthRule = (subject) => {
  const { phase } = subject.status;
  if (phase === 'Succeeded') return current;
  if (phase === 'Failed') return failed('Pod has completed, but not successfully');
  if (typeof phase !== 'string' || phase === '') return inProgress('Pod phase not available');
  if (phase === 'Running' && textOf(subject.condition('Ready'), 'status') === 'True') return current;
  const crashing = crashLoops(subject);
  if (crashing.length > 0) return failed(`Containers in CrashLoop state: ${crashing.join(',')}`);
  if (phase === 'Pending') return pendingHealth(subject);
  return inProgress(phase === 'Running' ? 'Pod is running but is not Ready' : `Pod is in the ${phase} phase`);
};
