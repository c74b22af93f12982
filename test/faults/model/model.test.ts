import { expect, test } from 'vitest';
import { actionsOf, type Wish } from './actions.ts';
import { Model } from './model.ts';

const wish = (version: number, shape: Wish['shape'] = 'small'): Wish => ({ source: 'image', shape, version });

test('the same seed gives the same actions', () => {
  expect(actionsOf(7, 20)).toEqual(actionsOf(7, 20));
  expect(actionsOf(7, 20)).not.toEqual(actionsOf(8, 20));
});

test('a version that cannot be applied leaves one of those before it', () => {
  const model = new Model();
  model.take({ what: 'apply', name: 'ant', wish: wish(1) });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'ant', wish: wish(2) });
  model.take({ what: 'apply', name: 'ant', wish: wish(3, 'refused') });
  expect(model.expectations().get('ant')).toMatchObject({ wish: { version: 3 }, installed: [wish(1), wish(2)] });
  model.take({ what: 'apply', name: 'ant', wish: wish(4) });
  expect(model.expectations().get('ant')).toMatchObject({ wish: { version: 4 }, installed: [wish(4)] });
});

test('what was changed by hand stays so where nothing has the content any more', () => {
  const model = new Model();
  const ant = (): unknown => model.expectations().get('ant');
  model.take({ what: 'apply', name: 'ant', wish: wish(1) });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'ant', wish: wish(2, 'refused') });
  model.take({ what: 'change an object', name: 'ant' });
  expect(ant()).toMatchObject({ isMixed: false });
  model.take({ what: 'delete a Bundle', name: 'ant' });
  expect(ant()).toMatchObject({ isMixed: true, isChanged: true });
  model.take({ what: 'apply', name: 'ant', wish: wish(3) });
  model.take({ what: 'settle' });
  expect(ant()).toMatchObject({ isMixed: false, isChanged: false });
});

test('nothing stays of a deployment that is deleted but what was to be kept', () => {
  const model = new Model();
  model.take({ what: 'apply', name: 'ant', wish: wish(1, 'kept') });
  model.take({ what: 'settle' });
  model.take({ what: 'apply', name: 'bee', wish: wish(2) });
  for (const name of ['ant', 'bee']) model.take({ what: 'delete', name });
  const gone = { wish: undefined, installed: [undefined], isMixed: false, isChanged: false };
  expect(Object.fromEntries(model.expectations())).toEqual({
    ant: { ...gone, kept: 'yes' },
    bee: { ...gone, kept: 'no' },
  });
});
