import { expect, test } from 'vitest';
import { runCommand } from './served.js';

const key = 'canary_key';
const database = 'postgres://user:canary_password@127.0.0.1:9/messaging';
const keys = 'redis://user:canary_password@127.0.0.1:9';
const keyed = { MESSAGING_AUTOMATION_API_KEY: key };

const conformance = ['conformance', '--url', 'http://127.0.0.1:1/api', '--api-key', key];
const diagnose = ['diagnose', '--body', '-', '--signature', 'none'];
const trigger = ['trigger', 'message', '--to', 'http://127.0.0.1/'];
const listen = ['listen', '--forward-to', 'http://localhost/'];
const ensure = ['webhooks', 'ensure', 'https://app.example.com/hooks'];
const serve = ['serve', '--port', '0'];

type Refusal = [words: readonly string[], complaint: string, env?: Readonly<Record<string, string>>];

const refusals: readonly Refusal[] = [
  [[], 'Usage: messaging-automation'],
  [['bogus'], "unknown command 'bogus'"],

  [['clock', 'advance'], 'clock advance needs a duration, as in: clock advance 10s.'],
  [['clock', 'set'], 'clock set needs an instant, as in: clock set 2026-02-01T00:00:00Z.'],
  [['clock', 'run-to-idle', '10s'], 'run-to-idle takes no value'],

  [['conformance'], 'The URL is missing. Pass --url', {}],
  [conformance.slice(0, 3), 'The API key is missing. Pass --api-key', {}],
  [[...conformance, '--url', 'nowhere'], '--url must be'],
  [[...conformance, '--send-phone', '+15551234567'], 'pass both --send-phone and --send-template'],
  [[...conformance, '--variable', '1=Ada'], 'pass both --send-phone and --send-template'],
  [[...conformance, '--variable', 'Ada'], 'Write it as 1=Ada'],
  [[...conformance, '--receive', 'https://tunnel.example.com'], 'pass --provoke control'],
  [[...conformance, '--timeout', '0'], '--timeout must be'],

  [['contacts', 'import', '/nowhere/contacts.csv'], 'cannot be read. ENOENT'],
  [['contacts', 'import', 'contacts.csv'], 'The API key is missing. Pass --api-key', {}],
  [['contacts', 'import', 'contacts.csv', '--url', 'http://example.com'], 'in clear text'],
  [['contacts', 'import', 'contacts.csv', '--rejects', 'contacts.csv'], 'must be three different files'],

  [['diagnose', '--signature', 'none', '--secret', key], "required option '--body <file>'"],
  [['diagnose', '--body', '-', '--secret', key], "required option '--signature <value>'"],
  [diagnose, '--secret or set $WEBHOOK_SECRET'],
  [[...diagnose, '--secret', ' '], 'The webhook secret is empty'],
  [[...diagnose, '--body', '/nowhere', '--secret', key], 'The body cannot be read. ENOENT'],

  [['doctor'], 'The API key is missing', {}],
  [['doctor', '--url', 'http://app.example.com/api'], 'in clear text'],
  [['doctor', '--receiver', 'http://localhost/'], 'Pass --secret-file or set $WEBHOOK_SECRET'],
  [['doctor', '--receiver', 'localhost', '--secret-file', 'x'], '--receiver must be a URL'],
  [['doctor', '--receiver', 'http://localhost/', '--secret-file', '/nowhere'], 'cannot be read. ENOENT'],

  [['listen'], 'The receiver is missing. Pass --forward-to'],
  [['listen', '--forward-to', 'localhost:3000'], '--forward-to must be a URL that'],
  [[...listen, '--events', 'message.sent'], 'Allowed choices are message.received'],
  [['listen', '--print-secret'], 'The API key is missing', {}],
  [['listen', '--print-secret', '--secret', 'given'], '--secret must be whsec_'],
  [['listen', '--print-secret'], '$WEBHOOK_SECRET must be whsec_', { ...keyed, WEBHOOK_SECRET: 'set' }],

  [['logs', '--type', 'delivery'], 'Allowed choices are request, fault'],
  [['logs', '--url', '127.0.0.1:4010'], 'must begin with http'],
  [['logs', '--api-key', 'canary key'], 'printable ASCII'],

  [['mcp'], '--api-key', {}],
  [['redeliver'], 'Name one delivery by its id, or pass --failed'],
  [['redeliver', 'delivery_1', '--failed'], 'Name one delivery by its id, or pass --failed'],
  [['redeliver', 'delivery_1', '--since', '1h'], 'Name one delivery by its id, or pass --failed'],
  [['redeliver', '--failed', '--since', 'yesterday'], 'must be a duration'],

  [['send', '--template', 'x'], "required option '--to, --phone <phone>'"],
  [['send', '--to', '+15551234567'], "required option '--template <id>'"],
  [['send', '--to', '5551234567', '--template', 'x'], 'phone must be a phone number in E.164 format'],
  [['send', '--to', '+15551234567', '--template', 'x', '--var', 'Ada'], 'Write it as 1=Ada'],
  [['send', '--to', '+15551234567', '--template', 'x', '--var', 'name=Ada'], 'the number of a placeholder'],

  [[...serve, '--seed', '/nowhere/seed.yaml'], 'ENOENT'],
  [[...serve, '--port', 'x'], 'whole number'],
  [[...serve, '--api-key', 'canary key'], 'The command line is invalid:\n  apiKey must be printable ASCII'],
  [[...serve, '--shutdown-grace', 'soon'], 'must be a duration, such as 30s'],
  [[...serve, '--sedd', 'x'], "unknown option '--sedd'"],
  [[...serve, '--cors', 'http://localhost:5173/'], "cors must be '*' or a list of origins"],
  [[...serve, '--store', 'messaging'], '--store must be the URL of a PostgreSQL database'],
  [[...serve, '--store', database.replace('postgres', 'mysql')], '--store must be the URL of a PostgreSQL'],
  [[...serve, '--store', database.replace(':9', ':port')], 'must be percent-encoded'],
  [[...serve, '--store', database, '--state', 'x'], '--state keeps everything in a file, and --store in a'],
  [[...serve, '--replica', 'one'], '--replica is only for servers that share a database. Pass --store too'],
  [[...serve, '--store-schema', 'one'], '--store-schema is only for servers that share a database.'],
  [serve, '$MESSAGING_AUTOMATION_STORE must be the URL', { MESSAGING_AUTOMATION_STORE: 'canary_password' }],
  [
    [...serve, '--state', 'x'],
    '$MESSAGING_AUTOMATION_STORE in a database',
    { MESSAGING_AUTOMATION_STORE: database },
  ],
  [['migrate'], 'The database is missing. Pass --store or set $MESSAGING_AUTOMATION_STORE.'],

  [['settle', 'key', 'perhaps', '--store', keys], 'Allowed choices are sent, not_sent.'],
  [['settle', 'key', '--store', keys], "missing required argument 'outcome'"],
  [['settle', 'key', 'sent'], 'The store is missing. Pass --store or set $MESSAGING_AUTOMATION_KEY_STORE.'],

  [['templates', 'pull', '--out', 'x.ts', '--check', '--force'], 'cannot be used with option'],
  [['templates', 'pull'], "required option '--out"],
  [['templates', 'push', '--out', 'x.ts'], "'push'"],

  [['trigger', 'message', '--body', 'Hello'], 'The phone is missing'],
  [['trigger', 'message', '--phone', '+15551234567'], 'The text is missing'],
  [['trigger', 'opted-in', '--phone', '+15551234567', '--body', 'yes'], '--body is only for messages'],
  [['trigger', 'opted-in', '--phone', '+15551234567', '--secret', 'x'], '--secret needs --to'],
  [trigger, '--secret or set $WEBHOOK_SECRET'],
  [[...trigger, '--secret', ' '], 'The webhook secret is empty'],
  [['trigger', 'message', '--to', 'localhost', '--secret', 'x'], '--to must be a URL'],

  [['unsettled'], 'The store is missing. Pass --store or set $MESSAGING_AUTOMATION_KEY_STORE.'],
  [['unsettled', '--store', 'canary'], '--store must be a URL such as redis://user:password@host'],
  [['unsettled', '--store', 'mysql://user:canary@host/orders'], '--store must be a URL such as redis://'],
  [['unsettled', '--store', 'redis://user:12/canary@host'], 'must be percent-encoded'],
  [['unsettled', '--store', 'redis://user:12#canary@host'], 'must be percent-encoded'],
  [['unsettled', '--store', 'redis://user:can/ary@host'], 'must be percent-encoded'],
  [['unsettled'], '$MESSAGING_AUTOMATION_STORE must be a URL', { MESSAGING_AUTOMATION_STORE: 'canary' }],
  [['unsettled'], '$MESSAGING_AUTOMATION_KEY_STORE must', { MESSAGING_AUTOMATION_KEY_STORE: 'canary' }],
  [['unsettled'], 'names the store of serve', { MESSAGING_AUTOMATION_STORE: 'canary' }],
  [['conformance', '--baseline', '.'], '--baseline cannot be read. EISDIR'],
  [['conformance', '--baseline', 'package.json'], 'is not a report of checkConformance'],
  [['unsettled', '--store', keys, '--table', 'x'], '--table is only for a store in PostgreSQL.'],
  [['unsettled', '--store', database, '--prefix', 'x'], '--prefix is only for a store in Redis.'],
  [['unsettled', '--store', keys, '--limit', '0'], '--limit must be 1 or more.'],
  [['unsettled', '--store', keys, '--limit', 'x'], 'whole number'],

  [['webhooks', 'create'], 'Allowed choices are list, ensure, delete'],
  [['webhooks', 'ensure'], 'webhooks ensure needs the URL'],
  [['webhooks', 'delete'], 'webhooks delete needs the URL'],
  [ensure, 'Pass the event types, as in --events message.received.'],
  [[...ensure, '--events', 'message.sent'], 'The event types are message.received'],
  [[...ensure, '--events', 'message.received', '--secret-file', '-', '--json'], 'leave out --json'],
  [['webhooks', 'list', '--url', 'http://app.example.com'], 'in clear text'],
  [['webhooks', 'list'], 'The API key is missing', {}],
];

test.each(refusals)('%j ends with 2 and says what is wrong: %s', async (words, complaint, env = keyed) => {
  const { exitCode, output, complaints } = await runCommand(words, { input: '', env });
  expect({ exitCode, complaints }).toEqual({ exitCode: 2, complaints: expect.stringContaining(complaint) });
  expect(output + complaints).not.toMatch(/canary/);
});
