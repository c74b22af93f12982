import { expect, test } from 'vitest';
import { actionsOf, type DesiredState } from './actions.ts';
import { Model } from './model.ts';

const desired = (version: number, shape: DesiredState['shape'] = 'small'): DesiredState => ({
  source: 'image',
  shape,
  version,
});

test('the same seed gives the same actions', () => {
  expect(actionsOf(7, 20)).toEqual(actionsOf(7, 20));
  expect(actionsOf(7, 20)).not.toEqual(actionsOf(8, 20));
});

test('a version that cannot be applied retains one of the previous ones', () => {
  const model = new Model();
  model.take({ what: 'apply', name: 'ant', desired: desired(1) });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'ant', desired: desired(2) });
  model.take({ what: 'apply', name: 'ant', desired: desired(3, 'refused') });
  expect(model.expectations().get('ant')).toMatchObject({
    desired: { version: 3 },
    installed: [desired(1), desired(2)],
  });
  model.take({ what: 'apply', name: 'ant', desired: desired(4) });
  expect(model.expectations().get('ant')).toMatchObject({ desired: { version: 4 }, installed: [desired(4)] });
});

test('manual changes stay if the content does not exist any more', () => {
  const model = new Model();
  const ant = (): unknown => model.expectations().get('ant');
  model.take({ what: 'apply', name: 'ant', desired: desired(1) });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'ant', desired: desired(2, 'refused') });
  model.take({ what: 'change an object', name: 'ant' });
  expect(ant()).toMatchObject({ isMixed: false });
  model.take({ what: 'delete a Bundle', name: 'ant' });
  expect(ant()).toMatchObject({ isMixed: true, isChanged: true });
  model.take({ what: 'apply', name: 'ant', desired: desired(3) });
  model.take({ what: 'settle' });
  expect(ant()).toMatchObject({ isMixed: false, isChanged: false });
});

test('of a deleted deployment only retained objects stay', () => {
  const model = new Model();
  model.take({ what: 'apply', name: 'ant', desired: desired(1, 'kept') });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'bee', desired: desired(2) });
  for (const name of ['ant', 'bee']) model.take({ what: 'delete', name });
  const gone = { desired: undefined, installed: [undefined], isMixed: false, isChanged: false };
  expect(Object.fromEntries(model.expectations())).toEqual({
    ant: { ...gone, kept: 'yes' },
    bee: { ...gone, kept: 'no' },
  });
});
