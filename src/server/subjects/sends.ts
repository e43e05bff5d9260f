import { maskPhone } from '../../contract/phone.js';
import type { PageRange } from '../model/page.js';
import type { SendRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { operation } from './operation.js';
import { type ForgetfulPage, named, pageWithin, type ReadOptions } from './pages.js';
import type * as Shapes from './shapes.js';
import {
  aTextOrPattern,
  contactField,
  currentMatches,
  type WaitOptions,
  type Wanted,
  waitFor,
  wantedBy,
} from './wait.js';

/** Selects sends. A send must match every field that is set. */
export type SendFilter = {
  /** The contact's id or phone. */
  readonly contact?: string | undefined;
  readonly templateId?: string | undefined;
  /** The whole sent text, or a pattern to find in it. */
  readonly text?: string | RegExp | undefined;
  /** The journey run that sent it. */
  readonly journeyRunId?: string | undefined;
};

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
export type WorkspaceSends = {
  /** Returns the sends in the journal that match, oldest first. */
  find(filter?: SendFilter): Promise<readonly SendRecord[]>;
  /**
   * Waits for the first send that matches, or the nth. Sends before the call count too.
   *
   * @throws WaitTimeoutError that lists the closest sends.
   */
  waitFor(filter?: SendFilter, options?: WaitOptions): Promise<SendRecord>;
};

export function sendsOf(live: LiveWorkspace): WorkspaceSends {
  return {
    find: async (filter = {}) => currentMatches(live, wantedSend(filter)),
    waitFor: async (filter = {}, options = {}) => waitFor(live, wantedSend(filter), options),
  };
}

/** Describes the sends that a filter selects. */
function wantedSend(filter: SendFilter): Wanted<SendRecord> {
  const { contact, text }: SendFilter = Object(filter);
  const fields = {
    contact: contactField<SendRecord>(contact, (send) => send),
    templateId: { name: 'template', of: (send: SendRecord) => send.templateId },
    text: {
      name: 'text',
      check: aTextOrPattern,
      of: (send: SendRecord) => send.text,
      meets: (send: SendRecord) =>
        typeof text === 'object' ? send.text.search(text) !== -1 : send.text === text,
    },
    journeyRunId: { name: 'journey run', of: (send: SendRecord) => send.journeyRunId },
  };
  return wantedBy('send', filter, fields, {
    select: (entry) => (entry.type === 'send' ? entry.send : undefined),
    describe: ({ templateId, phone, sentAt }) =>
      `${JSON.stringify(templateId)} to ${maskPhone(phone)} at ${new Date(sentAt).toISOString()}`,
  });
}

async function readSends(
  live: LiveWorkspace,
  { limit, cursor, wait, gone, ...filter }: SendFilter & ReadOptions & { readonly text?: string | undefined },
): Promise<ForgetfulPage<SendRecord>> {
  const { store } = live.context;
  const { contact, ...fields } = filter;
  const sent = { ...fields, ...named(contact), status: 'sent' } as const;
  const read = (range: PageRange) => store.sends.page(sent, range);
  const page = await pageWithin(live, wantedSend(filter), read, { limit, cursor, wait, gone });
  return { ...page, forgotten: (await store.countForgotten()).sends };
}

export const sendsOperations = ({ text, optional, contact, waiting, waits, ...shapes }: typeof Shapes) => ({
  find: operation('sends.find', 'GET', '/control/sends', {
    summary: 'Lists the sent template messages, oldest first. `wait` waits for the first that matches.',
    query: {
      contact,
      templateId: optional(text, 'The id of the template.'),
      text: optional(text, 'The whole sent text.'),
      journeyRunId: optional(text, 'The id of the journey run that sent it.'),
      ...waiting,
    },
    result: shapes.pageOfLatest(shapes.sendSchema),
    refusals: waits,
    rule: (live, { query, request: { gone } }) => readSends(live, { ...query, gone }),
  }),
});
