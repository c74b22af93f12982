import { expect, test } from 'vitest';
import { buildTaskGraph, manifestOf, type ReleaseManifest, type TaskGraph } from '../../release/index.ts';
import { runGraph } from './run-graph.ts';

const none = new AbortController().signal;
const manifest = (name: string): ReleaseManifest =>
  manifestOf(
    { directory: 'release-manifests', name },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
    '',
  );
const node = (name: string, needs: readonly number[]): TaskGraph['nodes'][number] => ({
  tasks: [{ index: 0, total: 0, manifest: manifest(name) }],
  needs,
});
const nameOf = ({ tasks }: TaskGraph['nodes'][number]): string => tasks[0]?.manifest.key.name ?? '';

test('CV-45: of a diamond, each node runs after those that it needs, two at a time', async () => {
  const nodes = [node('a', []), node('b', [0]), node('c', [0]), node('d', [1, 2])];
  const events: string[] = [];
  let running = 0;
  const run = async (one: TaskGraph['nodes'][number]): Promise<void> => {
    running += 1;
    events.push(`${nameOf(one)}${running}`);
    await Promise.resolve();
    running -= 1;
  };
  expect(await runGraph({ nodes, workers: 2 }, run, none)).toEqual({ errors: [], completed: 4 });
  expect(events).toEqual(['a1', 'b1', 'c2', 'd1']);
});

test('CV-46: another branch completes, what needs the failed node does not run, and every error is returned', async () => {
  const nodes = [node('a', []), node('b', []), node('c', [0]), node('d', [1]), node('e', [3])];
  const done: string[] = [];
  const run = (one: TaskGraph['nodes'][number]): Promise<void> => {
    const name = nameOf(one);
    if (name === 'a' || name === 'e') return Promise.reject(new Error(name));
    done.push(name);
    return Promise.resolve();
  };
  const { errors, completed } = await runGraph({ nodes, workers: 4 }, run, none);
  expect(errors).toEqual([new Error('a'), new Error('e')]);
  expect([done, completed]).toEqual([['b', 'd'], 2]);
});

test('CV-47: canceled in the middle of a task, nothing later runs and the error is returned', async () => {
  const stop = new AbortController();
  const done: string[] = [];
  const run = async (one: TaskGraph['nodes'][number]): Promise<void> => {
    done.push(nameOf(one));
    stop.abort(new Error('canceled'));
    await Promise.resolve();
    stop.signal.throwIfAborted();
  };
  const { errors } = await runGraph({ nodes: [node('a', []), node('b', [0])], workers: 2 }, run, stop.signal);
  expect([done, errors]).toEqual([['a'], [new Error('canceled')]]);
});

test('CV-48: canceled between two tasks, what is left is named', async () => {
  const stop = new AbortController();
  const run = (): Promise<void> => {
    stop.abort();
    return Promise.resolve();
  };
  const { errors } = await runGraph({ nodes: [node('a', []), node('b', [0])], workers: 2 }, run, stop.signal);
  expect(errors).toEqual([new Error('1 incomplete task nodes, beginning with configmap "default/b" (0 of 0)')]);
});

test('an empty release has nothing to run', async () => {
  const graph = buildTaskGraph([], { kind: 'Updating' });
  expect(await runGraph(graph, () => Promise.reject(new Error('ran')), none)).toEqual({ errors: [], completed: 0 });
});
