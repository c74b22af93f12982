import { expect, test } from 'vitest';
import { assertRealmOf } from './token-realm.ts';

test.each([
  ['registry-1.docker.io', 'https://auth.docker.io/token'],
  ['quay.io', 'https://quay.io/v2/auth'],
  ['ghcr.io', 'https://ghcr.io/token'],
  ['gcr.io', 'https://gcr.io/v2/token'],
  ['europe-docker.pkg.dev', 'https://europe-docker.pkg.dev/v2/token'],
  ['acme.azurecr.io', 'https://acme.azurecr.io/oauth2/token'],
  ['123456789012.dkr.ecr.eu-west-1.amazonaws.com', 'https://123456789012.dkr.ecr.eu-west-1.amazonaws.com/'],
  ['registry.gitlab.com', 'https://gitlab.com/jwt/auth'],
  ['registry.connect.redhat.com', 'https://sso.redhat.com/auth/realms/rhcc'],
  ['registry.example.co.uk:5000', 'https://auth.example.co.uk/token'],
  ['10.0.0.5:5000', 'https://10.0.0.5:5001/token'],
  ['registry', 'https://registry:5001/token'],
  ['127.0.0.1:5000', 'http://127.0.0.1:5001/token'],
])('%s may send its credentials to %s', async (registry, realm) => {
  await expect(assertRealmOf(registry, new URL(realm))).resolves.toBeUndefined();
});

test.each([
  ['registry.example.com', 'https://hostile.example.net/token'],
  ['registry.example.com', 'https://registry.example.com.hostile.net/token'],
  ['registry.example.com', 'https://registry.example.com@hostile.net/token'],
  ['registry.example.com', 'https://169.254.169.254/token'],
  ['registry.example.co.uk', 'https://hostile.co.uk/token'],
  ['acme.github.io', 'https://hostile.github.io/token'],
  ['10.0.0.5:5000', 'https://10.0.0.6/token'],
  ['registry', 'https://other/token'],
  ['hostile.com', 'https://localhost/token'],
])('%s may not send them to %s', async (registry, realm) => {
  await expect(assertRealmOf(registry, new URL(realm))).rejects.toThrow(
    expect.objectContaining({ reason: 'InvalidChallenge' }),
  );
});
