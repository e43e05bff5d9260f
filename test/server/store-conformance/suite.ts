import { describe, test } from 'vitest';
import { contactPromises } from './contacts.js';
import { definitionPromises } from './definitions.js';
import { eventPromises } from './events.js';
import { journeyRunPromises } from './journey-runs.js';
import { messagePromises } from './messages.js';
import { type CreateStore, openingOf, type Promises } from './opening.js';
import { outboxPromises } from './outbox.js';
import { pagePromises } from './pages.js';
import { sendPromises } from './sends.js';
import { statePromises } from './state.js';
import { subscriptionPromises } from './subscriptions.js';
import { workspacePromises } from './workspaces.js';

const subjects: Readonly<Record<string, Promises>> = {
  workspaces: workspacePromises,
  definitions: definitionPromises,
  contacts: contactPromises,
  sends: sendPromises,
  events: eventPromises,
  'journey runs': journeyRunPromises,
  subscriptions: subscriptionPromises,
  messages: messagePromises,
  'the outbox': outboxPromises,
  pages: pagePromises,
  state: statePromises,
};

/** The promises of the `Store` port, as tests that any implementation can be run through. */
export function describeStore(name: string, createStore: CreateStore): void {
  describe(`the promises of a store, kept by ${name}`, () => {
    for (const [subject, promises] of Object.entries(subjects)) {
      describe(subject, () => {
        for (const [promise, check] of Object.entries(promises)) {
          test(promise, async () => check(openingOf(await createStore())));
        }
      });
    }
  });
}

/** The promises that a store breaks, as `subject: promise`. */
export async function brokenPromises(createStore: CreateStore): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [subject, promises] of Object.entries(subjects)) {
    for (const [promise, check] of Object.entries(promises)) {
      try {
        await check(openingOf(await createStore()));
      } catch {
        broken.push(`${subject}: ${promise}`);
      }
    }
  }
  return broken;
}
