import { styled, type Terminal } from './terminal.js';

/** What a person needs to begin with. */
export interface Ready {
  readonly url: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** An approved template to try a send with, where there is one. */
  readonly templateId: string | undefined;
}

/** The lines that tell a person that the server is up, with commands to paste. */
export function readyMessage(terminal: Terminal, ready: Ready): string {
  const bold = (text: string) => styled(terminal, 'bold', text);
  const dim = (text: string) => styled(terminal, 'dim', text);
  return [
    '',
    `  ${bold('Messaging Automation reference server')} is ready at ${styled(terminal, 'cyan', ready.baseUrl)}`,
    '',
    `  ${dim('# point your app at it')}`,
    `  export MESSAGING_AUTOMATION_BASE_URL=${ready.baseUrl}`,
    `  export MESSAGING_AUTOMATION_API_KEY=${shellWord(ready.apiKey)}`,
    '',
    `  ${dim('# or ask it something')}`,
    `  ${curl(ready, 'api/v1/contacts', { phone: '+15551234567', properties: { firstName: 'Ada' } })}`,
    '',
    `  ${dim('# a contact writes to the workspace: its webhook subscriptions get a signed delivery')}`,
    `  ${curl(ready, 'control/inbound-messages', { phone: '+15551234567', body: 'Hello' })}`,
    '',
    `  Ctrl-C stops it.${ready.templateId === undefined ? '' : ` Template to try: ${ready.templateId}`}`,
    '',
  ].join('\n');
}

/** A curl command that asks the server. */
export function curl({ url, apiKey }: Ready, path: string, body: object): string {
  const authorization = shellWord(`Authorization: Bearer ${apiKey}`);
  const data = shellWord(JSON.stringify(body));
  return `curl ${url}/${path} -H ${authorization} -H 'Content-Type: application/json' -d ${data}`;
}

/** A word that the shell takes as it is. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
