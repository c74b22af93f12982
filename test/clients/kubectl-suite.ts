import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { eventually } from '../support/index.ts';
import { chosenKubectls, type FoundKubectl, KubectlHome } from './kubectl.ts';
import { configMap, deployment, thingDefinition } from './manifests.ts';

const group = 'things.example.com';
let server: ApiServer;

/** One home and namespace for all the commands of a version. */
function homeOf(kubectl: FoundKubectl): { readonly home: () => KubectlHome; readonly namespace: string } {
  const namespace = `kubectl-${kubectl.minor}`;
  let home: KubectlHome | undefined;
  beforeAll(async () => {
    home = await KubectlHome.open(kubectl, { kubeconfig: server.kubeconfig, namespace });
    await home.ok(`create namespace ${namespace}`);
  });
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
  });
  const get = (): KubectlHome => {
    if (home === undefined) throw new Error('the home is not there yet');
    return home;
  };
  return { home: get, namespace };
}

function describeKubectl(kubectl: FoundKubectl): void {
  const { home, namespace } = homeOf(kubectl);

  test('W042 W043 applies, reads OpenAPI v2 up to 1.28 only, and knows what is unchanged', async () => {
    const file = await home().file('apply.json', configMap('applied', { a: '1' }));
    const first = await home().run(`apply -v=6 -f ${file}`);
    expect(first.stdout).toBe('configmap/applied created\n');
    expect(first.stderr.includes('/openapi/v2')).toBe(kubectl.minor <= 28);
    expect(await home().ok(`apply -f ${file}`)).toBe('configmap/applied unchanged\n');
    await home().file('apply.json', configMap('applied', { a: '2' }));
    expect(await home().ok(`apply --dry-run=server -f ${file}`)).toBe(
      'configmap/applied configured (server dry run)\n',
    );
    expect(await home().ok(`apply -f ${file}`)).toBe('configmap/applied configured\n');
    const thing = await home().file('thing.json', {
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name: 'one' },
      spec: { colour: 'red', replicas: 1 },
    });
    expect(await home().ok(`apply -f ${thing}`)).toBe(`thing.${group}/one created\n`);
    expect(await home().ok('get th')).toMatch(/NAME +COLOUR\none +red\n/);
  });

  test('refuses unknown fields', async () => {
    const file = await home().file('unknown.json', { ...configMap('unknown', {}), dataa: {} });
    const { code, stderr } = await home().run(`create -f ${file}`);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Error from server (BadRequest): error when creating "${file}": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dataa"\n`,
    );
    expect((await home().run(`create --validate=warn -f ${file}`)).stderr).toContain('Warning: unknown field "dataa"');
  });

  test('W162 shows what would change, and reports it by its exit code', async () => {
    const file = await home().file('diff.json', configMap('diffed', { a: '1' }));
    await home().ok(`apply -f ${file}`);
    expect((await home().run(`diff -f ${file}`)).code).toBe(0);
    await home().file('diff.json', configMap('diffed', { a: '2' }));
    const { code, stdout } = await home().run(`diff -f ${file}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/-\s+a: "1"\n\+\s+a: "2"\n/);
    expect((await home().run(`diff --server-side --force-conflicts -f ${file}`)).code).toBe(1);
  });

  test('W160 edits, and opens the editor again with what was wrong', async () => {
    await home().ok('create configmap edited --from-literal=a=b');
    const editor = await home().file('editor.sh', '#!/bin/sh\nsed -i "s/a: b/a: c/" "$1"\n', 0o755);
    expect(await home().ok('edit configmap edited', [], { KUBE_EDITOR: editor })).toBe('configmap/edited edited\n');
    expect(await home().ok('get configmap edited -o jsonpath={.data.a}')).toBe('c');
    const cancelled = await home().run('edit configmap edited', [], { KUBE_EDITOR: 'true' });
    expect(cancelled.stderr).toBe('Edit cancelled, no changes made.\n');
    const seen = join(home().folder, 'seen');
    const script = `#!/bin/sh
cat "$1" >> ${seen}
if grep -q "not valid" "$1" || grep -q "is invalid" "$1" || grep -q "Invalid value" "$1"; then sed -i "s/bad key/good/" "$1"; else sed -i "s/^  a: c/  bad key: c/" "$1"; fi
`;
    const clumsy = await home().file('clumsy.sh', script, 0o755);
    expect(await home().ok('edit configmap edited', [], { KUBE_EDITOR: clumsy })).toBe('configmap/edited edited\n');
    expect(await readFile(seen, 'utf8')).toContain(
      '# configmaps "edited" was not valid:\n# * data[bad key]: Invalid value',
    );
    expect(await home().ok('get configmap edited -o jsonpath={.data.good}')).toBe('c');
  });

  test('W161 patches, labels and annotates, and knows when nothing changed', async () => {
    await home().ok('create configmap patched --from-literal=a=b');
    const patch = '{"data":{"a":"c"}}';
    expect(await home().ok('patch configmap patched --type=merge -p', [patch])).toBe('configmap/patched patched\n');
    expect(await home().ok('patch configmap patched -p', [patch])).toBe('configmap/patched patched (no change)\n');
    const ops = '[{"op":"test","path":"/data/a","value":"x"}]';
    const failed = await home().run('patch configmap patched --type=json -p', [ops]);
    expect(failed.stderr).toContain(
      'The request is invalid: the server rejected our request due to an error in our request',
    );
    expect(await home().ok('label configmap patched x=y')).toBe('configmap/patched labeled\n');
    expect(await home().ok('label configmap patched x=y')).toBe('configmap/patched not labeled\n');
    expect(await home().ok('annotate configmap patched x=y')).toMatch(/^configmap\/patched annotated?\n$/);
    expect(await home().ok('get configmap -l x=y -o name')).toBe('configmap/patched\n');
  });

  test('W159 CTL-01 CTL-02 rolls a Deployment out, back, up and down', async () => {
    expect(await home().ok('create deployment web --image=registry.example.com/web:1 --replicas=2')).toBe(
      'deployment.apps/web created\n',
    );
    expect(await home().ok('rollout status deployment/web')).toContain('deployment "web" successfully rolled out\n');
    expect(await home().ok('wait --for=condition=Available deployment/web')).toBe(
      'deployment.apps/web condition met\n',
    );
    expect(await home().ok('set image deployment/web web=registry.example.com/web:2')).toBe(
      'deployment.apps/web image updated\n',
    );
    await home().ok('rollout status deployment/web');
    expect(await home().ok('rollout history deployment/web')).toMatch(/REVISION +CHANGE-CAUSE\n1 .*\n2 /);
    expect(await home().ok('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    await home().ok('rollout status deployment/web');
    expect(await home().ok('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'registry.example.com/web:1',
    );
    expect(await home().ok('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    expect(await home().ok('scale deployment/web --replicas=3')).toBe('deployment.apps/web scaled\n');
    expect(await home().ok('scale deployment/web --replicas=1 --current-replicas=3')).toBe(
      'deployment.apps/web scaled\n',
    );
    await home().ok('rollout status deployment/web');
    expect(await home().ok('autoscale deployment web --max=3')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    );
    expect(await home().ok('expose deployment web --port=80')).toBe('service/web exposed\n');
    expect(await home().ok(`scale thing.${group}/one --replicas=2`)).toBe(`thing.${group}/one scaled\n`);
  });

  test('W154 prints the columns of the real server', async () => {
    const wide = await home().ok('get deploy,rs,svc -o wide');
    expect(wide).toMatch(/NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\n/);
    expect(wide).toMatch(/NAME +DESIRED +CURRENT +READY +AGE +CONTAINERS +IMAGES +SELECTOR\n/);
    expect(wide).toMatch(/NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE +SELECTOR\n/);
    expect(await home().ok('get pods -o wide')).toMatch(
      /NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\n/,
    );
    expect(await home().ok('get nodes -o wide')).toMatch(
      /NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE/,
    );
    expect(await home().ok('get all')).toContain('deployment.apps/web');
    expect(await home().ok('get pods --sort-by=.metadata.name -o name')).toContain('pod/web-');
    expect(await home().ok('describe deployment web')).toContain('StrategyType:           RollingUpdate');
    expect((await home().run('get configmap absent')).stderr).toBe(
      'Error from server (NotFound): configmaps "absent" not found\n',
    );
    expect((await home().run('get nonsense')).stderr).toBe(
      'error: the server doesn\'t have a resource type "nonsense"\n',
    );
    expect((await home().run('get leases')).stderr).toBe(`No resources found in ${namespace} namespace.\n`);
  });

  test('AUTH-21 asks who it is and what it may', async () => {
    expect(await home().ok('auth can-i create pods')).toBe('yes\n');
    const no = await home().run(`auth can-i create pods --as=system:serviceaccount:${namespace}:default`);
    expect([no.code, no.stdout]).toEqual([1, 'no\n']);
    expect(await home().ok('auth can-i --list')).toMatch(/Resources +Non-Resource URLs +Resource Names +Verbs/);
    const own = await home().ok(`auth can-i --list --as=system:serviceaccount:${namespace}:default`);
    expect(own).toMatch(/selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]/);
    expect(own).toMatch(/\[\/healthz\] +\[\] +\[get\]/);
    if (kubectl.minor >= 28) expect(await home().ok('auth whoami')).toContain('system:masters');
  });

  test('W163 AUTH-17 issues tokens that identify the user', async () => {
    const token = (await home().ok('create token default --duration=20m')).trim();
    expect(token.split('.')).toHaveLength(3);
    const config = await home().file('token-config', withToken(server.kubeconfig, token));
    const { stderr } = await home().run(`get pods --kubeconfig=${config}`);
    expect(stderr).toBe(
      `Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:${namespace}:default" cannot list resource "pods" in API group "" in the namespace "${namespace}"\n`,
    );
  });

  test('W057 gets NotFound for unknown resources', async () => {
    const config = await home().file('bad-config', withToken(server.kubeconfig, 'nonsense'));
    const { code, stderr } = await home().run(`get configmaps --kubeconfig=${config}`);
    expect(code).toBe(1);
    expect(stderr).toContain('error: You must be logged in to the server');
  });

  test('W044 CRD-40 explains built-in and custom kinds', async () => {
    expect(await home().ok('explain deployment.spec.strategy')).toMatch(
      /rollingUpdate\s+<.*Object|RollingUpdateDeployment/,
    );
    expect(await home().ok('explain deployment --recursive')).toContain('containers');
    const thing = await home().ok('explain thing.spec');
    expect(thing).toContain('The desired state of a thing.');
    expect(thing).toContain('How many of them.');
    expect((await home().run('explain deployment.spec.nothing')).stderr).toContain('field "nothing" does not exist');
  });

  test('W041 explains by OpenAPI v2 too', async () => {
    expect(await home().ok('explain --output=plaintext-openapiv2 deployment.spec.strategy')).toContain('rollingUpdate');
    expect(await home().ok('explain --output=plaintext-openapiv2 thing.spec')).toContain(
      'The desired state of a thing.',
    );
  });

  test('waits for what comes and goes', async () => {
    expect(await home().ok('create job done --image=registry.example.com/image')).toBe('job.batch/done created\n');
    expect(await home().ok('wait --for=condition=complete job/done')).toBe('job.batch/done condition met\n');
    expect(await home().ok('wait --for=jsonpath={.status.succeeded}=1 job/done')).toBe(
      'job.batch/done condition met\n',
    );
    const gone = home().ok('wait --for=delete job/done');
    await home().ok('delete job done');
    expect(await gone).toMatch(/^(job\.batch\/done condition met\n)?$/);
    const late = await home().run('wait --for=condition=complete --timeout=1s job/done');
    expect([late.code, late.stderr]).toEqual([1, 'Error from server (NotFound): jobs.batch "done" not found\n']);
  });

  test('W164 lists what the server has', async () => {
    const resources = await home().ok('api-resources');
    expect(resources).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
    expect(resources).toMatch(new RegExp(`things +th +${group}/v1 +true +Thing`));
    expect(await home().ok('api-versions')).toContain('\napps/v1\n');
    expect(await home().ok('version -o json')).toContain('"gitVersion": "v1.33.4"');
    expect(await home().ok('cluster-info')).toContain('Kubernetes control plane');
    expect(await home().ok('get --raw /readyz')).toBe('ok');
    expect((await home().run('top pods')).stderr).toBe('error: Metrics API not available\n');
  });

  test('watches', async () => {
    const child = home().start('get configmap --watch-only -o name');
    let stdout = '';
    child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
    try {
      await eventually(async () => {
        await home().run('create configmap watched');
        await home().run('delete configmap watched --wait=false');
        expect(stdout).toContain('configmap/watched\n');
      });
    } finally {
      child.kill();
    }
  });

  test('CTL-13 CTL-14 CTL-15 deletes dependents, before their owner or not at all', async () => {
    for (const [cascade, left] of [
      ['background', 0],
      ['foreground', 0],
      ['orphan', 1],
    ] as const) {
      const name = `cascade-${cascade}`;
      const file = await home().file(`${name}.json`, deployment(name, 0));
      await home().ok(`apply -f ${file}`);
      await eventually(async () => expect(await home().ok(`get rs -l app=${name} -o name`)).toContain('replicaset'));
      expect(await home().ok(`delete --cascade=${cascade} -f ${file}`)).toContain(`deployment.apps "${name}" deleted`);
      await eventually(async () => {
        expect(
          (await home().ok(`get rs -l app=${name} -o name`)).split('\n').filter((line) => line !== ''),
        ).toHaveLength(left);
      });
    }
  });

  test('W155 W156 keeps what every cluster has', async () => {
    const before = await home().ok('get serviceaccount default -o jsonpath={.metadata.uid}');
    await home().ok('delete serviceaccount default --wait=false');
    await eventually(async () => {
      expect(await home().ok('get serviceaccount default -o jsonpath={.metadata.uid}')).not.toBe(before);
    });
    expect((await home().run('delete namespace default')).stderr).toContain(
      'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n',
    );
  });

  test('W158 shows events in both of their groups', async () => {
    const uid = await home().ok('get configmap applied -o jsonpath={.metadata.uid}');
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'happened' },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'applied', namespace, uid },
      reason: 'Happened',
      message: 'something did',
      type: 'Normal',
      firstTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
      count: 1,
    };
    const file = await home().file('event.json', event);
    expect(await home().ok(`create -f ${file}`)).toBe('event/happened created\n');
    expect(await home().ok('get events.v1.events.k8s.io happened -o jsonpath={.note}')).toBe('something did');
    expect(await home().ok('events --for=configmap/applied')).toMatch(
      /Normal +Happened +ConfigMap\/applied +something did/,
    );
    expect(await home().ok('describe configmap applied')).toMatch(/Happened .*something did/);
  });

  test('applies a kustomization', async () => {
    await home().file('kustomized.json', configMap('kustomized', { a: 'b' }));
    await home().file(
      'kustomization.yaml',
      'resources: [kustomized.json]\nnamePrefix: pre-\nlabels: [{pairs: {k: v}}]\n',
    );
    expect(await home().ok(`apply -k ${home().folder}`)).toBe('configmap/pre-kustomized created\n');
    expect(await home().ok(`delete -k ${home().folder}`)).toContain('configmap "pre-kustomized" deleted');
  });

  test('W166 prunes what is no longer applied', async () => {
    const one = configMap('prune-one', {}, { prune: 'me' });
    const two = configMap('prune-two', {}, { prune: 'me' });
    const file = await home().file('prune.json', { apiVersion: 'v1', kind: 'List', items: [one, two] });
    await home().ok(`apply -f ${file}`);
    await home().file('prune.json', { apiVersion: 'v1', kind: 'List', items: [one] });
    expect(await home().ok(`apply -f ${file} --prune -l prune=me --prune-allowlist=core/v1/ConfigMap`)).toContain(
      'configmap/prune-two pruned',
    );
    const env = { KUBECTL_APPLYSET: 'true' };
    const set = `apply -f ${file} --prune --applyset=set`;
    await home().file('prune.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [configMap('set-one', {}), configMap('set-two', {})],
    });
    await home().ok(set, [], env);
    await home().file('prune.json', { apiVersion: 'v1', kind: 'List', items: [configMap('set-one', {})] });
    expect(await home().ok(set, [], env)).toContain('configmap/set-two pruned');
  });

  test('W135 W136 moves from client-side to server-side apply', async () => {
    const file = await home().file('migrate.json', configMap('migrated', { a: '1' }));
    await home().ok(`apply -f ${file}`);
    await home().file('migrate.json', configMap('migrated', { a: '2' }));
    const other = await home().run(`apply --server-side --field-manager=x -f ${file}`);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('conflict with "kubectl-client-side-apply" using v1: .data.a');
    expect(await home().ok(`apply --server-side -f ${file}`)).toBe('configmap/migrated serverside-applied\n');
    const managers = 'get configmap migrated --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}';
    expect(await home().ok(managers)).toBe('kubectl-last-applied kubectl');
    expect(await home().ok(`apply --server-side --force-conflicts --field-manager=x -f ${file}`)).toBe(
      'configmap/migrated serverside-applied\n',
    );
  });

  test('W165 reports that nothing runs', async () => {
    await home().ok('run lonely --image=registry.example.com/image --restart=Never');
    await eventually(async () => expect(await home().ok('get pod lonely -o name')).toBe('pod/lonely\n'));
    for (const command of ['exec lonely -- ls', 'attach lonely', 'logs lonely']) {
      const { code, stderr } = await home().run(command);
      expect(code).toBe(1);
      expect(stderr).toMatch(/Error from server|error: (unable to upgrade connection|cannot attach|.*completed pod)/i);
    }
  });

  test('W167 drains a node', async () => {
    const node = `node-${kubectl.minor}`;
    const file = await home().file('node.json', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
    await home().ok(`create -f ${file}`);
    const spec = {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'registry.example.com/image' }],
    };
    const pod = await home().file('pod.json', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'on-node' }, spec });
    await home().ok(`create -f ${pod}`);
    const drained = await home().ok(`drain ${node} --force --ignore-daemonsets --disable-eviction=false`);
    expect(drained).toContain(`node/${node} drained`);
    expect(await home().ok(`get node ${node}`)).toContain('SchedulingDisabled');
    expect((await home().run('get pod on-node')).stderr).toContain('NotFound');
    expect(await home().ok(`uncordon ${node}`)).toBe(`node/${node} uncordoned\n`);
    expect(await home().ok(`taint node ${node} a=b:NoSchedule`)).toBe(`node/${node} tainted\n`);
    await home().ok(`delete node ${node}`);
  });

  test('replaces, by force too', async () => {
    await home().ok('create configmap replaced --from-literal=a=b');
    const file = await home().file('replace.json', configMap('replaced', { a: 'c' }));
    expect(await home().ok(`replace -f ${file}`)).toBe('configmap/replaced replaced\n');
    expect(await home().ok(`replace --force -f ${file}`)).toContain('configmap/replaced replaced\n');
  });

  test('W157 waits until a namespace and its contents are deleted', async () => {
    expect(await home().ok(`delete namespace ${namespace}`)).toContain(`namespace "${namespace}" deleted`);
    expect((await home().run(`get namespace ${namespace}`)).stderr).toContain('NotFound');
  });
}

/** Everything that each kubectl whose minor version is chosen has to be able to do. */
export async function describeKubectls(isChosen: (minor: number) => boolean): Promise<void> {
  const kubectls = (await chosenKubectls()).filter(({ minor }) => isChosen(minor));
  beforeAll(async () => {
    server = await startApiServer({ crds: [thingDefinition(group) as never] });
  });
  afterAll(async () => {
    await server.stop();
  });
  if (kubectls.length === 0)
    test.skip('no such kubectl is on this machine, or it is not the oldest or newest: LONGSHORE_TEST_CLIENTS=all runs every one', () => {});
  for (const kubectl of kubectls) {
    describe(`kubectl ${kubectl.version}`, { shuffle: false }, () => describeKubectl(kubectl));
  }
}

/** A kubeconfig whose user has this token and nothing else. */
function withToken(kubeconfig: string, token: string): string {
  const server = /server: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
