import { randomBytes, X509Certificate } from 'node:crypto';
import type { JsonAttributeObject, Name } from '@peculiar/x509';
import { loadCertificateLibrary } from './certificate-library.ts';
import { type CertifiedKey, importSigningKey, signingAlgorithm } from './certificates.ts';

type Library = Awaited<ReturnType<typeof loadCertificateLibrary>>;

/** What a PKCS #10 certificate request asks for. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly urls: readonly string[];
}

/** Key usages as X.509 names them, without the bits of extended usages. */
export type KeyUsage =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'encipherOnly'
  | 'decipherOnly';

/** What the signer decides about a certificate. */
export interface SigningPolicy {
  readonly keyUsages: readonly KeyUsage[];
  readonly extendedKeyUsages: readonly ('serverAuth' | 'clientAuth')[];
  readonly notBeforeMs: number;
  /** The certificate never outlives its authority. */
  readonly notAfterMs: number;
}

/** A request is a few kilobytes at most; more is never parsed. */
const maxRequestLength = 64 * 1024;

const block = /(?<=^|\n)-----BEGIN CERTIFICATE REQUEST-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE REQUEST-----/;

/** Stricter than a kube-apiserver: of several blocks, and of one with headers, who approves the request may be shown another subject. */
function onlyBlock(pem: string): string {
  const found = block.exec(pem)?.[0];
  if (found === undefined || found.length > maxRequestLength) {
    throw new Error('PEM block type must be CERTIFICATE REQUEST');
  }
  if (pem.indexOf('-----BEGIN') !== pem.lastIndexOf('-----BEGIN')) throw new Error('there is more than one PEM block');
  return found;
}

function parse(x509: Library, pem: string): InstanceType<Library['Pkcs10CertificateRequest']> {
  const request = new x509.Pkcs10CertificateRequest(onlyBlock(pem));
  checkTexts(Buffer.from(request.subjectName.toArrayBuffer()));
  return request;
}

/** Tags of UTF8String, PrintableString, T61String, IA5String and BMPString. */
const textTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16, 0x1e]);

/** Go's library, and so kubectl, shows nothing of a value of another type.
 *  @throws Error */
function checkTexts(subject: Buffer): void {
  const attributes = [subject].flatMap(contentsOf).flatMap(contentsOf).flatMap(contentsOf);
  for (const attribute of attributes) {
    const value = attribute.subarray(boundsOf(attribute, 0).end);
    if (!textTags.has(value[0] ?? 0)) throw new Error('the subject has a value that is no text');
  }
}

/** Where the content of a DER element begins and ends. */
function boundsOf(der: Buffer, at: number): { readonly begin: number; readonly end: number } {
  const first = der.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const begin = at + 2 + lengthBytes;
  return { begin, end: begin + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes)) };
}

/** The contents of the elements, one after the other. */
function contentsOf(der: Buffer): Buffer[] {
  const contents: Buffer[] = [];
  for (let at = 0; at < der.length; ) {
    const { begin, end } = boundsOf(der, at);
    contents.push(der.subarray(begin, end));
    at = end;
  }
  return contents;
}

function namesIn(
  x509: Library,
  request: InstanceType<Library['Pkcs10CertificateRequest']>,
): { readonly type: string; readonly value: string }[] {
  return request.extensions.flatMap((extension) =>
    extension instanceof x509.SubjectAlternativeNameExtension ? [...extension.names.items] : [],
  );
}

function describe(subject: Name, names: readonly { readonly type: string; readonly value: string }[]): SigningRequest {
  const valuesOf = (type: string): string[] => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName: subject.getField('CN').at(-1) ?? '',
    organizations: subject.getField('O'),
    dnsNames: valuesOf('dns'),
    ipAddresses: valuesOf('ip'),
    emailAddresses: valuesOf('email'),
    urls: valuesOf('url'),
  };
}

/** Attributes of a subject that a certificate takes over, in the order in which Go's library writes them. */
const subjectAttributes = ['C', 'O', 'OU', 'L', 'ST', 'street', '2.5.4.17', 'CN', '2.5.4.5'];

/** The subject of a request, each attribute once with all its values: exactly those that the rules of the signer have seen. Of plain texts the library
 *  would take quotes and backslashes away, and read `#` as the start of bytes. */
function subjectOf(x509: Library, name: Name): Name {
  const attributes = subjectAttributes.flatMap((attribute) => {
    const values = attribute === 'CN' ? name.getField('CN').slice(-1) : name.getField(attribute);
    return values.length === 0 ? [] : [{ [attribute]: values.map((value) => encodingOf(x509, value)) }];
  });
  return new x509.Name(attributes);
}

function encodingOf(x509: Library, value: string): JsonAttributeObject {
  return x509.Name.isPrintableString(value) ? { printableString: value } : { utf8String: value };
}

/** Reads a certificate request (PEM). Does not verify the holder of its key.
 *  @throws Error when it is none */
export async function readSigningRequest(pem: string): Promise<SigningRequest> {
  const x509 = await loadCertificateLibrary();
  const request = parse(x509, pem);
  return describe(request.subjectName, namesIn(x509, request));
}

/** Signs a certificate request (PEM): its subject, its key and its alternative names are taken over, encoded again from their parsed values;
 *  usages and validity are the policy's, every other extension is left out. Returns the certificate, PEM.
 *  @throws Error if it is not a request, is not signed with its own key, or if the authority has expired */
export async function signCertificateRequest(
  authority: CertifiedKey,
  pem: string,
  policy: SigningPolicy,
): Promise<string> {
  const x509 = await loadCertificateLibrary();
  const request = parse(x509, pem);
  if (!(await request.verify())) throw new Error('the certificate request is not signed with its own key');
  const endMs = new X509Certificate(authority.certificatePem).validToDate.getTime();
  if (policy.notBeforeMs >= endMs) throw new Error('the certificate authority has expired');
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const { dnsNames, ipAddresses, emailAddresses, urls } = describe(request.subjectName, namesIn(x509, request));
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...emailAddresses.map((value) => ({ type: 'email' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...urls.map((value) => ({ type: 'url' as const, value })),
  ];
  const flags = policy.keyUsages.reduce((sum, name) => sum | x509.KeyUsageFlags[name], 0);
  const extended = policy.extendedKeyUsages.map((name) => x509.ExtendedKeyUsage[name]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString('hex'),
    subject: subjectOf(x509, request.subjectName),
    issuer: issuer.subject,
    notBefore: new Date(policy.notBeforeMs),
    notAfter: new Date(Math.min(policy.notAfterMs, endMs)),
    signingAlgorithm,
    publicKey: request.publicKey,
    signingKey: await importSigningKey(authority.privateKeyPem),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
      ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}
