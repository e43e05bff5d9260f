import { effect, signal } from '@preact/signals';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createResource } from '../../../src/workbench/live/resource.js';

test('a change during a request causes one more request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const changes = signal(1);
  const responses: ((value: string) => void)[] = [];
  const load = () => new Promise<string>((response) => responses.push(response));
  const resource = createResource(load, changes);
  const hide = effect(() => void resource.value);
  onTestFinished(() => {
    hide();
    vi.useRealTimers();
  });
  changes.value += 1;
  await vi.advanceTimersByTimeAsync(300);
  expect(responses).toHaveLength(1);
  responses[0]?.('old');
  await vi.advanceTimersByTimeAsync(0);
  expect(responses).toHaveLength(2);
  responses[1]?.('new');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(resource.value).toBe('new');
  expect(responses).toHaveLength(2);
});

test('before the stream starts nothing is loaded, and then once, however long it has shown', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const changes = signal(0);
  let asked = 0;
  const load = async () => {
    asked += 1;
    return asked;
  };
  const early = createResource(load, changes);
  const hide = effect(() => void early.value);
  onTestFinished(() => {
    hide();
    vi.useRealTimers();
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(0);
  changes.value += 1;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([early.value, asked]).toEqual([1, 1]);
  changes.value += 1;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([early.value, asked]).toEqual([2, 2]);

  const late = createResource(load, changes);
  const hideLate = effect(() => void late.value);
  await vi.advanceTimersByTimeAsync(1_000);
  hideLate();
  expect([late.value, asked]).toEqual([3, 3]);
});

test('an error of a request is gone after one that succeeds, and its value stays while one fails', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const changes = signal(1);
  let fails = false;
  const resource = createResource(async () => {
    if (fails) throw new Error('The server does not respond.');
    return 'a value';
  }, changes);
  const hide = effect(() => void resource.value);
  onTestFinished(() => {
    hide();
    vi.useRealTimers();
  });
  const stateAfterChange = async () => {
    await resource.refresh();
    return [resource.value, resource.problem];
  };
  expect(await stateAfterChange()).toEqual(['a value', undefined]);
  fails = true;
  expect(await stateAfterChange()).toEqual(['a value', 'The server does not respond.']);
  fails = false;
  expect(await stateAfterChange()).toEqual(['a value', undefined]);
});
