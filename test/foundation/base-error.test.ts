import { describe, expect, test } from 'vitest';
import { describeErrorClass, MessagingAutomationError } from '../../src/foundation/base-error.js';

class KnownError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'KnownError');
  }
}

class UserError extends KnownError {}

describe('MessagingAutomationError', () => {
  test('has a literal name and the message', () => {
    const error = new KnownError('What happened.', { cause: 'why' });
    expect([error.name, error.message, error.cause, String(error)]).toEqual([
      'KnownError',
      'What happened.',
      'why',
      'KnownError: What happened.',
    ]);
    expect(Object.keys(error)).not.toContain('name');
  });

  test('knows its own and what extends it, and nothing else', () => {
    expect(new KnownError()).toBeInstanceOf(MessagingAutomationError);
    expect(new KnownError()).toBeInstanceOf(KnownError);
    expect(new KnownError()).toBeInstanceOf(Error);
    expect(new MessagingAutomationError()).not.toBeInstanceOf(KnownError);
    for (const other of [
      new Error('x'),
      null,
      undefined,
      'KnownError',
      {},
      { name: 'KnownError' },
      () => {},
    ]) {
      expect(other instanceof MessagingAutomationError).toBe(false);
    }
  });

  test('knows an error of another copy of the package by its brand', () => {
    const foreign = Object.assign(new Error('x'), {
      [Symbol.for('messaging-automation.error')]: ['KnownError', 'MessagingAutomationError'],
    });
    expect(foreign instanceof KnownError).toBe(true);
    expect(foreign instanceof MessagingAutomationError).toBe(true);
  });

  test("leaves a user's own subclass to its identity", () => {
    expect(new UserError() instanceof UserError).toBe(true);
    expect(new UserError() instanceof KnownError).toBe(true);
    expect(new KnownError() instanceof UserError).toBe(false);
  });
});
