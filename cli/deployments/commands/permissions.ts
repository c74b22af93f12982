import { describeMissing } from '../../../src/apply/index.ts';
import { formatYaml, printable } from '../../../src/base/index.ts';
import type { namespaceOptions } from '../../bundle/index.ts';
import { parseTarget } from '../../client/index.ts';
import type { clusterOptions, helmOption, OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress } from '../../output/index.ts';
import { readAccountOption } from '../permissions/account-option.ts';
import { type Needed, neededByBundle, neededByDeployment } from '../permissions/needed.ts';
import type { permissionsOptions } from '../permissions/options.ts';
import { type Grant, grantsOf, grantTable, roleObjects } from '../permissions/roles.ts';

type Values = OptionValues<
  typeof namespaceOptions &
    typeof permissionsOptions &
    typeof helmOption &
    typeof clusterOptions &
    typeof registryOptions
>;

const deadlineMs = 15 * 60_000;

function notesOf({ needs, comingNamespaces, account, missing }: Needed): readonly string[] {
  const coming = [...new Set(needs.map(({ namespace }) => namespace))].filter((name) => comingNamespaces.has(name));
  const folded = coming.map(
    (name) =>
      `namespace "${name}" does not exist before the installation, so that no Role can be created in it: its permissions are in the ClusterRole`,
  );
  if (account === undefined) return folded;
  const who = `serviceaccount "${account.namespace}/${account.name}"`;
  if (missing === undefined)
    return [...folded, `permissions that ${who} lacks are not listed: you cannot impersonate it`];
  const lines = describeMissing(missing);
  return [
    ...folded,
    lines.length === 0 ? `${who} has all of it` : `${who} lacks:`,
    ...lines.map((line) => `  ${line}`),
  ];
}

function print(needed: Needed, grants: readonly Grant[], values: Values): void {
  const account = readAccountOption(values['service-account']) ?? needed.account;
  if (values.output === 'json') {
    const { missing } = needed;
    const shown = { grants, ...(missing === undefined ? {} : { missing: describeMissing(missing) }) };
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  for (const note of notesOf(needed)) process.stderr.write(`${printable(note)}\n`);
  if (values.output === 'table') process.stdout.write(grantTable(grants));
  else
    for (const object of roleObjects(grants, { name: needed.name, account })) {
      process.stdout.write(`---\n${formatYaml(object)}`);
    }
}

/** `longshore permissions bd/NAME|DIR|FILE|REF` */
export async function permissions(values: Values, [text]: readonly [string]): Promise<number> {
  readAccountOption(values['service-account']);
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' || !process.stderr.isTTY });
  const task = { values, work, progress, signal: AbortSignal.timeout(deadlineMs) };
  const isDeployment = /^(bd|bds|bundledeployments?|clusterextensions?)([.][^/]*)?[/]/i.test(text);
  const needed = isDeployment
    ? await neededByDeployment(parseTarget(text, ['BundleDeployment', 'ClusterExtension']), task)
    : await neededByBundle(text, task);
  progress.clear();
  print(needed, grantsOf(needed.needs, needed.comingNamespaces), values);
  return 0;
}
