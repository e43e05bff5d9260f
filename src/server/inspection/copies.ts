import { signatureHeader } from '../../contract/delivery.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import type { EntryOf } from '../model/journal-entry.js';
import { receiverUrl } from '../model/listener.js';
import { testOf } from './asserting.js';
import { literal, shellWord } from './code.js';
import type { EntryCopies, NumberedEntry } from './inspection.js';
import { callOf, callOfEvent, callOfMessage, callOfSend, partsOf, type Surroundings } from './replay.js';

/**
 * Writes an entry as a command, as code and as a test.
 *
 * @param origin - The URL of the server, such as `http://127.0.0.1:4010`.
 */
export function copiesOf(entry: NumberedEntry, surroundings: Surroundings, origin: string): EntryCopies {
  const { curl, code } = againOf(entry, origin);
  return { curl: masked(curl), code: masked(code), test: masked(testOf(entry, surroundings)) };
}

/** Matches a secret in text that a person wrote, such as the body of a message. */
const secret = new RegExp(`(${secretPrefix})[\\w+/=-]+`, 'g');

function masked(text: string): string {
  return text.replaceAll(secret, '$1***');
}

/** Returns the command and the code that repeat the entry. */
function againOf(entry: NumberedEntry, origin: string): Omit<EntryCopies, 'test'> {
  switch (entry.type) {
    case 'request': {
      const parts = partsOf(entry);
      const { method, path, body } = parts;
      return { curl: curl(origin + path, { method, body }), code: ofSdk(callOf(parts)) };
    }
    case 'message': {
      const body = JSON.stringify({ phone: entry.phone, body: entry.body });
      return { curl: curl(`${origin}/control/inbound-messages`, { body }), code: callOfMessage(entry) };
    }
    case 'send': {
      const { phone, templateId, variables } = entry.send;
      const body = JSON.stringify({ phone, templateId, variables });
      return { curl: curl(`${origin}/api/v1/transactional`, { body }), code: ofSdk(callOfSend(entry.send)) };
    }
    case 'event': {
      const { event, properties } = entry.event;
      const body = JSON.stringify({ phone: entry.phone, event, properties });
      return { curl: curl(`${origin}/api/v1/events`, { body }), code: ofSdk(callOfEvent(entry)) };
    }
    case 'attempt':
      return {
        curl: curlOfAttempt(entry),
        code: `await server.deliveries.redeliver(${literal(entry.delivery.id)});`,
      };
    case 'journey':
      return { curl: curl(`${origin}/control/journey-runs`), code: 'await server.clock.runToIdle();' };
    case 'fault': {
      const struck = 'event' in entry ? { delivery: entry.event } : { operation: entry.operation };
      const rule = { ...struck, fault: entry.fault, times: 1 };
      return {
        curl: curl(`${origin}/control/faults`, { body: JSON.stringify(rule) }),
        code: `server.faults.add(${literal(rule)});`,
      };
    }
  }
}

/** Returns a command that sends the body and the signature of the attempt to the receiver. */
function curlOfAttempt({ delivery, attempt }: EntryOf<'attempt'>): string {
  return [
    `curl ${shellWord(receiverUrl(delivery.url))} ${json}`,
    `-H '${signatureHeader}: ${attempt.signature}'`,
    `--data-binary ${shellWord(delivery.bodyText)}`,
  ].join(newLine);
}

function ofSdk(call: string): string {
  return `import { MessagingAutomation } from 'messaging-automation';

const messaging = new MessagingAutomation(); // reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL
await messaging.${call};
`;
}

const newLine = ' \\\n  ';
const json = "-H 'Content-Type: application/json'";

function curl(
  url: string,
  { method = 'POST', body }: { method?: string; body?: string | undefined } = {},
): string {
  const verb =
    body === undefined ? (method === 'DELETE' ? '-X DELETE ' : '') : method === 'POST' ? '' : `-X ${method} `;
  return [
    `curl ${verb}${shellWord(url)}`,
    '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"',
    ...(body === undefined ? [] : [json, `-d ${shellWord(body)}`]),
  ].join(newLine);
}
