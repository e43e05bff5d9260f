import { secretPrefix } from '../../../contract/secret-prefix.js';
import { shellWord } from '../../../foundation/shell-word.js';
import { callOf, isOfSdk, partsOf, type RequestInJournal } from '../../inspection/calls.js';
import type { EntryCopies, NumberedEntry } from '../../inspection/inspection.js';
import { programOf, testOf } from '../../inspection/program.js';
import { type Script, scriptOf } from '../../inspection/script.js';
import { requestFor, type Surroundings } from '../../inspection/story.js';
import type { ChangeEntry } from '../../model/journal-entry.js';
import type { ControlRoute } from '../../workspace/workspace-parts.js';

/**
 * Writes an entry as a command, as code and as a test.
 *
 * @param origin - The URL of the server, such as `http://127.0.0.1:4010`.
 */
export function copiesOf(
  entry: NumberedEntry,
  surroundings: Surroundings,
  origin: string,
  route?: ControlRoute,
): EntryCopies {
  const { curl, code } = againOf(entry, surroundings, origin, route);
  const test = testOf(scriptOf([entry], surroundings));
  return { curl: masked(curl), code: masked(code), test: masked(test) };
}

/** Writes the script of a recording as a test. */
export function testOfScript(script: Script, isUntried: boolean): string {
  const remark = 'The server had no time to try this test, so a part of it may fail.';
  return masked(testOf(script, isUntried ? remark : undefined));
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
  route: ControlRoute | undefined,
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
    case 'change':
      return { curl: curlOfChange(entry, origin, route), code: code() };
  }
}

/** The request that makes a change. A request for a key changes the key that it has. */
function curlOfChange(
  { operation, arguments: given = [] }: ChangeEntry,
  origin: string,
  { method, path }: ControlRoute = { method: 'POST', path: '/control' },
): string {
  const left = [...given];
  const filled = path.replace(/:\w+/g, () => encodeURIComponent(String(left.shift())));
  const [body] = operation.startsWith('keys.') ? [] : left;
  const fields: Readonly<Record<string, string>> = { 'clock.advance': 'by', 'clock.set': 'to' };
  const field = fields[operation];
  const json = JSON.stringify(field === undefined ? body : { [field]: body });
  return curl(origin + filled, { method, body: json });
}

function ofSdk(parts: RequestInJournal): string {
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
