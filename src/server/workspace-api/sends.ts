import { maskPhone } from '../../contract/phone.js';
import type { SendRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { asked, differencesOf, inWords } from './filter.js';
import { currentMatches, type WaitOptions, type Wanted, waitFor } from './wait.js';

/** Selects sends. A send must match every field that is set. */
export interface SendFilter {
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
  readonly templateId?: string | undefined;
  /** The whole sent text, or a pattern to find in it. */
  readonly text?: string | RegExp | undefined;
  /** The journey run that sent it. */
  readonly journeyRunId?: string | undefined;
}

/**
 * Finds the template messages that a workspace sent, and waits for them.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'hello', body: 'Hello {{1}}' }] });
 * await server.client.contacts.upsert({ phone: '+15551234567' });
 * await server.client.transactional.send({ phone: '+15551234567', templateId: 'hello', variables: { '1': 'Ada' } });
 * const send = await server.sends.waitFor({ contact: '+15551234567', text: /Ada/ });
 * console.log(send.text); // Hello Ada
 * ```
 */
export interface WorkspaceSends {
  /** Returns the sends in the journal that match, oldest first. */
  find(filter?: SendFilter): Promise<readonly SendRecord[]>;
  /**
   * Waits for the first send that matches, or the nth. Sends before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest sends.
   */
  waitFor(filter?: SendFilter, options?: WaitOptions): Promise<SendRecord>;
}

export function sendsOf(live: LiveWorkspace): WorkspaceSends {
  return {
    find: async (filter = {}) => currentMatches(live, wantedSend(filter)),
    waitFor: async (filter = {}, options = {}) => waitFor(live, wantedSend(filter), options),
  };
}

/** Turns a filter into criteria. */
export function wantedSend(filter: SendFilter): Wanted<SendRecord> {
  const { contact, templateId, text, journeyRunId } = filter;
  const criteria = asked<SendRecord>(filter, {
    contact: {
      name: 'contact',
      wanted: contact,
      actual: (send) => (contact?.startsWith('+') ? send.phone : send.contactId),
    },
    templateId: { name: 'template', wanted: templateId, actual: (send) => send.templateId },
    text: {
      name: 'text',
      wanted: text,
      actual: (send) => send.text,
      meets: (send) => (typeof text === 'object' ? send.text.search(text) !== -1 : send.text === text),
    },
    journeyRunId: { name: 'journey run', wanted: journeyRunId, actual: (send) => send.journeyRunId },
  });
  return {
    subject: criteria.length === 0 ? 'send' : `send with ${inWords(criteria)}`,
    select: (entry) => (entry.type === 'send' ? entry.send : undefined),
    differences: (send) => differencesOf(criteria, send),
    describe: ({ templateId: id, phone, sentAt }) =>
      `${JSON.stringify(id)} to ${maskPhone(phone)} at ${new Date(sentAt).toISOString()}`,
  };
}
