import { expect, test } from 'vitest';
import { isLinkLocalAddress, isLocalAddress } from './addresses.ts';

test.each([
  '169.254.169.254',
  '169.254.1.1',
  'fe80::1',
  '[fe80::1]',
  'fe80::1%eth0',
  'febf::1',
  '::ffff:169.254.169.254',
  '[::ffff:a9fe:a9fe]',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  '100.100.100.200',
  '168.63.129.16',
  '64:ff9b::a9fe:a9fe',
  '[64:ff9b::a9fe:a9fe]',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '::ffff:0:a9fe:a9fe',
  '::169.254.169.254',
])('%s is link-local, or a metadata service', (address) => {
  expect(isLinkLocalAddress(address)).toBe(true);
  expect(isLocalAddress(address)).toBe(true);
});

test.each(['127.0.0.1', '127.8.8.8', '0.0.0.0', '::1', '[::1]', '::', '::ffff:127.0.0.1'])(
  '%s is an address of this machine, and not link-local',
  (address) => {
    expect(isLinkLocalAddress(address)).toBe(false);
    expect(isLocalAddress(address)).toBe(true);
  },
);

test.each([
  '10.0.0.1',
  '192.168.1.1',
  '8.8.8.8',
  '2001:db8::1',
  'fd00::1',
  '64:ff9b::808:808',
  '2002:808:808::1',
  'localhost.example.com',
])('%s is elsewhere', (address) => {
  expect(isLocalAddress(address)).toBe(false);
});
