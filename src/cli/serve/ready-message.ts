import { createHash } from 'node:crypto';
import type { ReferenceServer, ServerState } from '../../server/index.js';
import { control } from '../running-server/operations.js';
import { shownWord, styled, type Terminal } from '../terminal/terminal.js';
import type { StateFile } from './state-file.js';
import { placeInWords, type StorePlace } from './store.js';

/** The shared store of a server. */
interface SharedStoreInfo extends StorePlace {
  /** The name of this server among those that share the store. */
  readonly replica: string;
  /** The given flags that apply only to a new workspace. */
  readonly flagsForNew: readonly string[];
  /** Whether the key was generated. */
  readonly keyIsMadeUp: boolean;
}

/** What the ready message shows. */
export interface Ready {
  readonly url: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The URL of the workbench, with a code in its fragment that opens it once. */
  readonly page: string | undefined;
  /** An approved template to try a send with, if there is one. */
  readonly templateId: string | undefined;
  /** The state of `--state`. */
  readonly state: StateInfo | undefined;
  /** The store that this server shares with others. */
  readonly store: SharedStoreInfo | undefined;
}

/** The lines that `serve` prints when it listens, with commands to paste. */
export function readyMessage(terminal: Terminal, ready: Ready): readonly string[] {
  const { baseUrl, state, store, page, templateId } = ready;
  const dim = (text: string) => styled(terminal, 'dim', text);
  const cyan = (text: string) => styled(terminal, 'cyan', text);
  const title = styled(terminal, 'bold', 'Messaging Automation reference server');
  const lines = ['', `  ${title} is ready at ${cyan(baseUrl)}`];
  if (state !== undefined) lines.push(...stateLines(state));
  if (store !== undefined) lines.push(...storeLines(store));
  lines.push('');
  if (page !== undefined && state?.failedTest !== undefined)
    return [...lines, `  ${cyan(page)}`, '', '  Ctrl-C stops it.'];
  if (page !== undefined) {
    lines.push(`  ${dim('# see what happens, and try things by hand')}`, `  ${cyan(page)}`, '');
  }
  lines.push(
    `  ${dim('# point your app at it')}`,
    `  export MESSAGING_AUTOMATION_BASE_URL=${baseUrl}`,
    `  export MESSAGING_AUTOMATION_API_KEY=${shownWord(ready.apiKey)}`,
    '',
    `  ${dim('# or call it')}`,
    `  ${curl(ready, '/api/v1/contacts', { phone: '+15551234567', properties: { firstName: 'Ada' } })}`,
    '',
    `  ${dim('# a contact writes to the workspace: its webhook subscriptions get a signed delivery')}`,
    `  ${curl(ready, control.simulate.inboundMessage.path, { phone: '+15551234567', body: 'Hello' })}`,
    '',
    `  ${dim('# see what happens in another terminal, with the two lines above')}`,
    '  npx messaging-automation logs --follow',
    '',
    `  ${dim('# list all that a test can do')}`,
    `  curl ${ready.url}${control.surface.index.path}`,
    '',
    `  Ctrl-C stops it.${templateId === undefined ? '' : ` Template to try: ${templateId}`}`,
  );
  return lines;
}

/** What the ready message says of the state of `--state`. */
interface StateInfo extends Pick<StateFile, 'earlierVersion'> {
  readonly file: string;
  /** Whether the server continues from a file that existed. */
  readonly resumed: boolean;
  readonly failedTest: ServerState['failedTest'];
  /** How many workspaces and contacts it has. */
  readonly workspaces: number;
  readonly contacts: number;
  readonly clock: ServerState['workspaces'][0]['clock']['flow'];
  /** The time of the first workspace, in ISO 8601. */
  readonly time: string;
  /** The given flags that are ignored. */
  readonly unusedFlags: readonly string[];
  readonly key: keyof typeof aboutKey;
}

/**
 * The state of `--state`.
 *
 * @param earlier - What the server continues from; undefined if it has just created the file.
 * @param flagsForNew - The given flags that are ignored if the server continues.
 */
export async function stateInfo(
  server: ReferenceServer,
  { path, earlierVersion }: Pick<StateFile, 'path' | 'earlierVersion'>,
  earlier: ServerState | undefined,
  flagsForNew: readonly string[],
): Promise<StateInfo> {
  const { workspaces } = await server.state();
  const [first] = workspaces;
  const digest = createHash('sha256').update(server.apiKey).digest('hex');
  const isIn = ({ apiKeyDigests }: typeof first) => apiKeyDigests.includes(digest);
  const isKnown = earlier === undefined || isIn(earlier.workspaces[0]);
  return {
    file: path,
    earlierVersion,
    resumed: earlier !== undefined,
    failedTest: earlier?.failedTest,
    workspaces: workspaces.length,
    contacts: workspaces.reduce((total, { contacts }) => total + contacts.length, 0),
    clock: first.clock.flow,
    time: new Date(server.clock.now()).toISOString(),
    unusedFlags: earlier === undefined ? [] : flagsForNew,
    // A key that was revoked before stays revoked.
    key: isIn(first) ? (isKnown ? 'known' : 'new') : 'revoked',
  };
}

function stateLines(info: StateInfo): readonly string[] {
  const { file, earlierVersion, resumed, failedTest, unusedFlags, key } = info;
  if (!resumed) return [`  It keeps its state in ${file}`];
  const { workspaces, contacts, clock, time } = info;
  const amounts = `${amount(workspaces, 'workspace')}, ${amount(contacts, 'contact')}, clock ${clock} at ${time}`;
  if (failedTest !== undefined) {
    return [
      `  It shows the failed test "${failedTest}": ${amounts}`,
      `  Changes stay in memory, and ${file} as it is`,
    ];
  }
  const lines = [`  It continues from ${file}: ${amounts}`];
  if (earlierVersion !== undefined) {
    lines.push(`  An earlier version of the package wrote that file. A copy is kept as ${earlierVersion}`);
  }
  if (unusedFlags.length > 0) {
    const flags = unusedFlags.join(', ');
    lines.push(`  Ignored, because the state file exists: ${flags}. To start over, move the file away.`);
  }
  return [...lines, ...aboutKey[key]];
}

const aboutKey = {
  known: [],
  new: ['  The key below is an additional one. The earlier keys stay valid.'],
  revoked: ['  The key below was revoked and is not valid. Use the key that replaced it.'],
} as const;

function storeLines(info: SharedStoreInfo): readonly string[] {
  const { replica, flagsForNew, keyIsMadeUp } = info;
  const lines = [
    `  It shares ${placeInWords(info)} as replica ${replica}`,
    '  To start another replica, run the same command with another --port, or on another machine',
  ];
  if (flagsForNew.length > 0) {
    const flags = flagsForNew.join(', ');
    lines.push(`  Only a new workspace uses ${flags}. An existing one keeps its data.`);
  }
  if (keyIsMadeUp)
    lines.push('  The key below is generated, and each start adds another. Choose one with --api-key');
  return lines;
}

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A curl command that calls the server. */
export function curl({ url, apiKey }: Ready, path: `/${string}`, body: object): string {
  const authorization = shownWord(`Authorization: Bearer ${apiKey}`);
  const data = shownWord(JSON.stringify(body));
  return `curl ${url}${path} -H ${authorization} -H 'Content-Type: application/json' -d ${data}`;
}
