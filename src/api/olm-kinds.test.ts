import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonObject, parseYaml } from '../base/index.ts';
import {
  catalogSourceResource,
  clusterServiceVersionResource,
  csvCleanupFinalizer,
  installedAlongsidePrefix,
  installPlanResource,
  olmAnnotations,
  olmConfigName,
  olmConfigResource,
  olmLabelPrefixes,
  olmLabels,
  operatorConditionResource,
  operatorConditionVariable,
  operatorGroupResource,
  operatorResource,
  subscriptionResource,
} from './index.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  catalogSourceResource,
  clusterServiceVersionResource,
  installPlanResource,
  olmConfigResource,
  operatorConditionResource,
  operatorGroupResource,
  operatorResource,
  subscriptionResource,
])('$kind is served at $apiVersion, the version that is stored', ({ apiVersion, kind, plural }) => {
  const crd = parseYaml(plural, read(`crds/olm/operators.coreos.com_${plural}.yaml`));
  const [group, name] = apiVersion.split('/');
  const spec = isJsonObject(crd) && isJsonObject(crd['spec']) ? crd['spec'] : {};
  expect(spec).toMatchObject({ group, names: { kind, plural } });
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter((one) => isJsonObject(one)) : [];
  expect(versions.filter((one) => one['storage'] === true).map((one) => one['name'])).toEqual([name]);
});

test('annotations, labels and other names are those of the specification', () => {
  const index = read('docs/spec/olm-v0.md').split('id="constant-index"')[1] ?? '';
  const names = [olmAnnotations, olmLabels, olmLabelPrefixes].flatMap((group): string[] => Object.values(group));
  const others = [csvCleanupFinalizer, installedAlongsidePrefix, operatorConditionVariable];
  for (const name of [...names, ...others]) expect(index).toContain(`\`${name}`);
  expect(read('docs/spec/olm-v0.md')).toContain(`singleton \`${olmConfigName}\``);
});
