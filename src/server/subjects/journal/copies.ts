import { secretPrefix } from '../../../contract/secret-prefix.js';
import { shellWord } from '../../../foundation/shell-word.js';
import { callOf, isOfSdk, partsOf, type RequestParts } from '../../inspection/calls.js';
import type { EntryCopies, NumberedEntry } from '../../inspection/inspection.js';
import { programOf, testOf } from '../../inspection/program.js';
import { requestFor, type Surroundings } from '../../inspection/story.js';

/**
 * Writes an entry as a command, as code and as a test.
 *
 * @param origin - The URL of the server, such as `http://127.0.0.1:4010`.
 */
export function copiesOf(entry: NumberedEntry, surroundings: Surroundings, origin: string): EntryCopies {
  const { curl, code } = againOf(entry, surroundings, origin);
  return { curl: masked(curl), code: masked(code), test: testOfEntries([entry], surroundings) };
}

/** Writes what happened as one test. */
export function testOfEntries(entries: readonly NumberedEntry[], surroundings: Surroundings): string {
  return masked(testOf(entries, surroundings));
}

/** Matches a secret in text that a person wrote, such as the body of a message. */
const secret = new RegExp(`(${secretPrefix})[\\w+/=-]+`, 'g');

function masked(text: string): string {
  return text.replaceAll(secret, '$1***');
}

/** Returns the command and the code that repeat the entry: a call of the client, or a program with a server of its own. */
function againOf(
  entry: NumberedEntry,
  surroundings: Surroundings,
  origin: string,
): Omit<EntryCopies, 'test'> {
  const code = () => programOf(entry, surroundings);
  const post = (path: string, body?: object) =>
    curl(origin + path, { method: 'POST', ...(body !== undefined && { body: JSON.stringify(body) }) });
  switch (entry.type) {
    case 'request':
    case 'send':
    case 'event':
    case 'journey': {
      const parts = partsOf(requestFor(entry, surroundings));
      const { method, path, body } = parts;
      const isOfClient = entry.type !== 'journey' && isOfSdk(parts);
      return { curl: curl(origin + path, { method, body }), code: isOfClient ? ofSdk(parts) : code() };
    }
    case 'message':
      return {
        curl: post('/control/inbound-messages', { phone: entry.phone, body: entry.body }),
        code: code(),
      };
    case 'attempt':
      return { curl: post(`/control/deliveries/${entry.delivery.id}/redeliver`), code: code() };
    case 'fault': {
      const target = 'event' in entry ? { delivery: entry.event } : { operation: entry.operation };
      return { curl: post('/control/faults', { ...target, fault: entry.fault, times: 1 }), code: code() };
    }
  }
}

function ofSdk(parts: RequestParts): string {
  return `import { MessagingAutomation } from 'messaging-automation';

const messaging = new MessagingAutomation(); // reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL
await messaging.${callOf(parts)};
`;
}

const newLine = ' \\\n  ';
const json = "-H 'Content-Type: application/json'";

function curl(
  url: string,
  { method, body }: { readonly method: string; readonly body?: string | undefined },
): string {
  const verb = method === (body === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `;
  return [
    `curl ${verb}${shellWord(url)}`,
    '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"',
    ...(body === undefined ? [] : [json, `-d ${shellWord(body)}`]),
  ].join(newLine);
}
