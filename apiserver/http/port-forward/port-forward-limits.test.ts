import { expect, test } from 'vitest';
import { PortForwardLimits } from './port-forward-limits.ts';

test('counts tunnels of a user, of all users, and connections', () => {
  const limits = new PortForwardLimits({ maxTunnels: 3, maxPerUser: 2, maxConnections: 1 });
  const first = limits.beginTunnel('ann');
  limits.beginTunnel('ann');
  expect(() => limits.beginTunnel('ann')).toThrow('user "ann" has 2 port-forwards open');
  limits.beginTunnel('bob');
  expect(() => limits.beginTunnel('eve')).toThrow('the server has 3 port-forwards open');
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  limits.beginTunnel('ann');
  expect(() => limits.beginTunnel('ann')).toThrow('port-forwards open');
  const connection = limits.beginConnection();
  expect(limits.beginConnection()).toBeUndefined();
  connection?.[Symbol.dispose]();
  expect(limits.beginConnection()).toBeDefined();
});
