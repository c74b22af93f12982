import type { Explanation } from '../support/explanation.ts';

/** Differences in catalogs, and in what Subscriptions choose from them and report. */
export const catalogExplanations: readonly Explanation[] = [
  {
    kind: 'chance',
    reason:
      'While an operator fails or is held, a Subscription may show the installed version, label its components and be upgraded, or not until later.',
    scenarios: ['E-052a', 'E-052c', 'E-067j'],
    path: /^(?:objects\[(?:Subscription|Operator) |phases\[(?:Subscription|InstallPlan) |objects\[[^\]]+\]\.metadata\.labels)/,
  },
  {
    kind: 'defect',
    reason: 'A Subscription reports that its ClusterServiceVersion was deleted, and is not at the latest version then.',
    scenarios: ['E-062b'],
    path: /^objects\[Subscription [^\]]+\]\.status\.(?:conditions|state)/,
    shows: /InstalledCSVDeleted|"AtLatestKnown" "UpgradePending"/,
  },
  {
    kind: 'deliberate',
    reason: 'A CatalogSource whose registry does not answer reports that in reason and message, by the address too.',
    scenarios: ['E-043f', 'E-063', 'E-063c', 'E-069b'],
    path: /^(?:objects|phases)\[CatalogSource /,
    shows: /RegistryServerError|couldn't connect to registry/,
  },
  {
    kind: 'deliberate',
    reason: 'A Subscription whose preferred version was passed over for another reports why.',
    scenarios: ['E-045d'],
    path: /^objects\[Subscription /,
    shows: /PreferredVersionPassedOver/,
  },
  {
    kind: 'chance',
    reason: 'A Subscription whose next plan is made at once may not show what it is at in between.',
    scenarios: ['E-042'],
    path: /^phases\[Subscription /,
  },
  {
    kind: 'chance',
    reason: 'Which syncs of the Subscription for a dependency are counted depends on how fast they follow one another.',
    scenarios: ['E-045d', 'E-046a'],
    shows: /subscription_sync_total/,
  },
  {
    kind: 'chance',
    reason: 'Bundles of several catalogs may be in a plan in any order.',
    scenarios: ['E-045b', 'E-045c', 'E-046a'],
    path: /^objects\[InstallPlan [^\]]+\]\.(?:spec\.clusterServiceVersionNames|status\.(?:catalogSources|plan\[))/,
  },
  {
    kind: 'chance',
    reason: 'An operator that is created before its group may be seen before there is a group.',
    scenarios: ['E-045e'],
    shows: /NoOperatorGroup/,
  },
  {
    kind: 'deliberate',
    reason: 'Items of a list of PackageManifests name their kind, as those of custom resources do.',
    path: /^answers\.\w+\.items\[\d+\]\.(?:apiVersion|kind)$/,
  },
  {
    kind: 'deliberate',
    reason: 'A CatalogSource that was never connected has its metrics, too.',
    scenarios: ['E-043b', 'E-043c', 'E-043d', 'E-043e'],
    path: /^metrics$/,
    shows: /catalogsource_ready|catalog_source_snapshots_total/,
  },
  {
    kind: 'deliberate',
    reason: 'A Subscription whose catalog cannot be used reports what is wrong with that, not that there is no client.',
    scenarios: ['E-043b', 'E-043c', 'E-043d'],
    path: /^objects\[Subscription [^\]]+\]\.status\.conditions/,
    shows: /error using catalogsource/,
  },
  {
    kind: 'defect',
    reason:
      'A catalog whose ConfigMap does not exist has a status, and its Subscriptions report it as unhealthy. In the original one of them stops every Subscription that sees it.',
    scenarios: ['E-043e'],
    path: /^objects\[(?:CatalogSource|Subscription) /,
  },
  {
    kind: 'defect',
    reason: 'A catalog that does not answer is unhealthy. In the original it is healthy, and cannot be used.',
    scenarios: ['E-043f'],
    path: /^objects\[Subscription [^\]]+\]\.status\.(?:catalogHealth|conditions)/,
  },
  {
    kind: 'defect',
    reason:
      'A catalog with an address is not polled, and its interval not reported. The original reports an invalid one for a moment.',
    scenarios: ['E-060'],
    path: /^phases\[CatalogSource /,
  },
  {
    kind: 'deliberate',
    reason: 'A bundle that cannot be read is reported by `BundleUnpackFailed` and an Event, as row E-061 has it.',
    scenarios: ['E-048', 'E-061'],
  },
  {
    kind: 'deliberate',
    reason:
      'A catalog that does not answer holds up a Subscription only if it could change what is chosen. The original stops every Subscription that sees it.',
    scenarios: ['E-063', 'E-063c'],
  },
  {
    kind: 'deliberate',
    reason: 'ConfigMaps are read as they are, without a Pod, and a Service and permissions for it.',
    scenarios: ['C-013c'],
  },
];
