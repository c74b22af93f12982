/** Servers, builders and waiting for tests: a registry and a git server on loopback with faults and authentication, hostile archives. */

export { type Commit, type GitServer, startGitServer } from '../../cli/examples/git-server.ts';
export { type Intercept, type LayerContent, type Registry, startRegistry } from '../../cli/examples/registry.ts';
export { fileEntries, type TarEntry, tarFile } from '../../cli/examples/tar-file.ts';
export { type ApiProxy, type Fate, startApiProxy } from './api-proxy.ts';
export { type BareCluster, openBareCluster } from './bare-cluster.ts';
export { type ChartForm, chartForms, chartImage, chartObjects, keyed } from './chart.ts';
export {
  corpusBundle,
  corpusBundlesDir,
  corpusCatalogFile,
  corpusOlmDir,
  corpusReleaseDir,
  corpusUpdateGraphDir,
  type ExpectedRenderings,
  expectedModes,
  expectedRenderings,
  hasCorpus,
  loadCanonical,
} from './corpus.ts';
export {
  attachBundles,
  bundleOf,
  logged,
  type MomentAuthority,
  momentAuthority,
  putSignatures,
  signatureOf,
} from './cosign.ts';
export { cutOff } from './cut-off.ts';
export { eventually } from './eventually.ts';
export { type Examined, examined, examinedCondition } from './examined-object.ts';
export {
  allOf,
  asksBasicAuthentication,
  asksToken,
  breaksOff,
  failsTimes,
  ignoresRanges,
  liesAbout,
  liesAboutRanges,
  loopbackCertificate,
  neverAnswers,
  redirectsForever,
} from './faults.ts';
export { freePort } from './free-port.ts';
export { issueAuthority } from './issue-authority.ts';
export { largeManifests, memoryRatio, writeBundle } from './large-bundles.ts';
export { type ProxyServer, startProxyServer } from './proxy-server.ts';
export { acmeCsv, installModes, registryFiles } from './registry-bundle.ts';
export { type SampleVersion, sampleCrd } from './sample-crd.ts';
export { type SigningKey, signingKey } from './signing-key.ts';
export { timestampAuthority, trustedRootOf, withCheckpoint, withTimestamp } from './sigstore-services.ts';
export { type SshKeys, type SshServer, sshKeys, startSshServer } from './ssh-server.ts';
export { SteppedClock } from './stepped-clock.ts';
export { startWebServer, type WebServer } from './web-server.ts';
