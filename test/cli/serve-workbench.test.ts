import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from './fake-terminal.js';

async function ready(...words: string[]) {
  const terminal = new FakeTerminal();
  const exit = run(['serve', '--port', '0', '--api-key', 'test key'.replace(' ', '+'), ...words], terminal);
  onTestFinished(async () => {
    terminal.stop();
    await exit;
  });
  return terminal.line(words.includes('--json') ? /"ready"/ : /is ready at/);
}

describe('serve and the workbench', () => {
  it('prints where the page is, with the key in the fragment, which no browser sends', async () => {
    const page = /http:\/\/127\.0\.0\.1:\d+\/#key=test%2Bkey/.exec(await ready())?.[0];
    expect(page).toBeDefined();
    expect(await (await fetch(page ?? '')).text()).toContain('<title>Workbench');
  });

  it('says the same to a machine', async () => {
    const { page, url } = JSON.parse(await ready('--json'));
    expect(page).toBe(`${url}/#key=test%2Bkey`);
  });

  it('leaves it out with --no-ui', async () => {
    const { page, url } = JSON.parse(await ready('--json', '--no-ui'));
    expect(page).toBeUndefined();
    expect((await fetch(url)).status).toBe(404);
    expect(await ready('--no-ui')).not.toContain('#key=');
  });
});
