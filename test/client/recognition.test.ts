import * as sdk from 'messaging-automation';
import { expect, test, vi } from 'vitest';

const facts = {
  operation: 'contacts.get',
  outcome: 'rejected',
  retryable: false,
  attempts: 1,
  status: 404,
} as const;

const errorClasses = Object.entries(sdk).filter(([name]) => name.endsWith('Error'));

test('errors are recognised by another copy of the package, and only as what they are', async () => {
  vi.resetModules();
  const copy = await import('messaging-automation');
  const error = new copy.NotFoundError('No.', facts);

  expect(copy.NotFoundError).not.toBe(sdk.NotFoundError);
  for (const [name, errorClass] of errorClasses) {
    const isOne = ['NotFoundError', 'ApiError', 'RequestError', 'MessagingAutomationError'].includes(name);
    expect(error instanceof errorClass, name).toBe(isOne);
  }
});

test("an error class of the user's own is known by its identity", () => {
  class Missing extends sdk.NotFoundError {}

  expect(new Missing('No.', facts)).toBeInstanceOf(Missing);
  expect(new Missing('No.', facts)).toBeInstanceOf(sdk.NotFoundError);
  expect(new sdk.NotFoundError('No.', facts)).not.toBeInstanceOf(Missing);
});

test.each([new Error('No.'), null, undefined, 'NotFoundError', {}, { name: 'NotFoundError' }, () => {}])(
  '%o is no error of the package',
  (other) => {
    expect(other instanceof sdk.MessagingAutomationError).toBe(false);
  },
);

test('every error class has its literal name', () => {
  expect(errorClasses).toHaveLength(24);
  for (const [name, errorClass] of errorClasses) {
    expect(errorClass.prototype).toHaveProperty('name', name);
    expect(Object.keys(errorClass.prototype)).toEqual([]);
  }
});
