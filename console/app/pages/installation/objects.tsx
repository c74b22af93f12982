import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EventRow, Installation, WatchedObject } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad, useRefresh } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { useObjects, useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Ago, healthWord, Panel, Status, StatusIcon } from '../../ui/parts.tsx';
import { Empty, Failure, Skeleton, WatchContent } from '../../ui/states.tsx';
import { Yaml } from '../../ui/yaml.tsx';
import { FieldOwners } from './field-owners.tsx';
import type { ApiObject } from './kinds.ts';
import { PodLog } from './pod-log.tsx';
import { isFiltering, isShown, type TreeFilter, TreeFilters, useTreeFilter } from './tree-filter.tsx';
import { isTroubled, nodeKey, type TreeNode } from './tree-node.ts';

/** How often the tree is read while it is shown: what is below an installation is found by lists. */
const refreshMs = 4_000;

function NodeRow(props: {
  readonly node: TreeNode;
  readonly selected: string;
  readonly filter: TreeFilter;
  readonly isUnfolded: boolean;
}): JSX.Element | null {
  const { node, selected, filter, isUnfolded } = props;
  const key = nodeKey(node);
  const [isOpen, setOpen] = useState(
    isTroubled(node) || node.kind === 'BundleDeployment' || node.kind === 'Subscription',
  );
  if (!isShown(node, filter)) return null;
  const isUnfoldedHere = isOpen || isUnfolded || isFiltering(filter);
  return (
    <li>
      <div class="row">
        {node.children.length > 0 ? (
          <button
            type="button"
            class="button quiet icon-only"
            style={{ width: '20px', minHeight: '24px' }}
            aria-expanded={isUnfoldedHere}
            aria-label={`${node.kind} ${node.name}: ${node.children.length}`}
            onClick={() => setOpen(!isOpen)}
          >
            <span style={{ display: 'inline-flex', transform: isUnfoldedHere ? 'rotate(90deg)' : '' }}>
              <Icon name="caret" />
            </span>
          </button>
        ) : (
          <span style={{ width: '20px' }} />
        )}
        <button
          type="button"
          class="node grow"
          aria-pressed={selected === key}
          onClick={() => setQuery({ object: key, log: '' })}
        >
          <StatusIcon word={healthWord(node.state)} />
          <span class="kind">{node.kind}</span>
          <span class="truncate">{node.name}</span>
          {node.isActive === true && <span class="chip">{node.version ?? 'active'}</span>}
          {node.isKept && <span class="chip warning">kept</span>}
        </button>
      </div>
      {isUnfoldedHere && node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <NodeRow key={nodeKey(child)} node={child} selected={selected} filter={filter} isUnfolded={isUnfolded} />
          ))}
        </ul>
      )}
    </li>
  );
}

function findNode(node: TreeNode, key: string): TreeNode | undefined {
  if (nodeKey(node) === key) return node;
  for (const child of node.children) {
    const found = findNode(child, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ObjectEvents({ events }: { readonly events: readonly EventRow[] }): JSX.Element {
  return (
    <section class="stack tight" aria-label={texts.installation.lastEvents}>
      <strong>{texts.installation.lastEvents}</strong>
      {events.map((event) => (
        <p key={`${event.time}${event.reason}`} class="break">
          <span class={event.type === 'Warning' ? 'tone-warning' : ''}>{event.reason}</span> {event.message}
          {event.count > 1 && ` × ${event.count}`} <Ago time={event.time} />
        </p>
      ))}
    </section>
  );
}

/** The selected object: its state, events, the owners of its fields and YAML, live. */
function Selected({ node }: { readonly node: TreeNode }): JSX.Element {
  const { apiVersion, kind, namespace = '-', name, state, message } = node;
  const isSecret = kind === 'Secret';
  const watched = useWatch<WatchedObject<ApiObject>>(
    isSecret ? undefined : `objects ${apiVersion} ${kind} ${namespace} ${name}`,
  );
  const events = useWatch<EventRow>(namespace === '-' ? 'events' : `events ${namespace}`);
  const own = [...events.rows.values()].filter((event) => event.kind === kind && event.name === name).slice(0, 5);
  return (
    <Panel title={`${kind} ${name}`} aside={<Status word={healthWord(state)} />}>
      <div class="body stack">
        {message !== '' && <p class="message">{message}</p>}
        {own.length > 0 && <ObjectEvents events={own} />}
        {isSecret ? (
          <p class="muted">{texts.installation.noYaml}</p>
        ) : (
          <WatchContent watched={watched} empty={<p class="muted">{texts.installation.noObject}</p>}>
            {([row]) =>
              row !== undefined && (
                <>
                  {kind === 'Pod' && <PodLog pod={row.object} />}
                  <FieldOwners owners={row.owners ?? []} />
                  <Yaml value={row.object} />
                </>
              )
            }
          </WatchContent>
        )}
      </div>
    </Panel>
  );
}

function Tree({ root }: { readonly root: TreeNode }): JSX.Element {
  const { query } = usePlace();
  const [isUnfolded, setUnfolded] = useState(false);
  const filter = useTreeFilter();
  const selected = query.get('object') ?? '';
  const node = findNode(root, selected);
  return (
    <div class="split">
      <Panel
        title={texts.installation.tabs.objects}
        aside={
          <label class="check">
            <input type="checkbox" checked={isUnfolded} onChange={() => setUnfolded(!isUnfolded)} />
            {texts.installation.unfold}
          </label>
        }
      >
        <div class="body stack">
          <TreeFilters root={root} />
          <ul class="tree">
            <NodeRow node={root} selected={selected} filter={filter} isUnfolded={isUnfolded} />
            {!isShown(root, filter) && <li class="muted">{texts.installed.noMatch}</li>}
          </ul>
        </div>
      </Panel>
      {node === undefined ? (
        <Panel>
          <Empty icon="network" title={texts.installation.objectsHint} />
        </Panel>
      ) : (
        <Selected key={selected} node={node} />
      )}
    </div>
  );
}

function DeploymentObjects({ one }: { readonly one: Installation }): JSX.Element {
  const tree = useLoad(one.uid, async (signal) => {
    const result = await runCommand('tree', { kind: one.kind, name: one.name }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return result.output as TreeNode;
  });
  useRefresh(tree, refreshMs);
  if (tree.value !== undefined) return <Tree root={tree.value} />;
  return tree.thrown === undefined ? <Skeleton lines={8} /> : <Failure thrown={tree.thrown} onRetry={tree.reload} />;
}

type Watched = WatchedObject<ApiObject>;

function leaf({ object, health }: Watched, children: readonly TreeNode[] = []): TreeNode {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion, kind, ...place, name, ...health, isKept: false, children };
}

function isOwnedBy({ object }: Watched, owner: ApiObject): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

/** An operator of a catalog: its plan, its ClusterServiceVersion, and what that owns. */
function OperatorObjects({ one }: { readonly one: Installation }): JSX.Element {
  const olm = 'operators.coreos.com/v1alpha1';
  const place = one.namespace;
  const subscriptions = useObjects<ApiObject>(`objects ${olm} Subscription ${place} ${one.name}`);
  const plans = useObjects<ApiObject>(`objects ${olm} InstallPlan ${place}`);
  const csvs = useObjects<ApiObject>(`objects ${olm} ClusterServiceVersion ${place}`);
  const deployments = useObjects<ApiObject>(`objects apps/v1 Deployment ${place}`);
  const replicaSets = useObjects<ApiObject>(`objects apps/v1 ReplicaSet ${place}`);
  const pods = useObjects<ApiObject>(`objects v1 Pod ${place}`);
  const [subscription] = subscriptions;
  if (subscription === undefined) return <Skeleton />;
  const workloads = [...deployments, ...replicaSets, ...pods];
  const below = (owner: ApiObject): readonly TreeNode[] =>
    workloads.filter((watched) => isOwnedBy(watched, owner)).map((watched) => leaf(watched, below(watched.object)));
  const { status = {} } = subscription.object;
  const planName = (status['installPlanRef'] as { name?: string } | undefined)?.name;
  const names = [status['currentCSV'], status['installedCSV']];
  const children = [
    ...plans.filter(({ object }) => object.metadata.name === planName).map((plan) => leaf(plan)),
    ...csvs.filter(({ object }) => names.includes(object.metadata.name)).map((csv) => leaf(csv, below(csv.object))),
  ];
  return <Tree root={leaf(subscription, children)} />;
}

/** The objects of an installation as a tree, folded where they are healthy. */
export function Objects({ one }: { readonly one: Installation }): JSX.Element {
  if (one.kind === 'Subscription') return <OperatorObjects one={one} />;
  return <DeploymentObjects one={one} />;
}
