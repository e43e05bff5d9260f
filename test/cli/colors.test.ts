import { expect, test } from 'vitest';
import { showsColors } from '../../src/cli/terminal/process-terminal.js';

const terminal = { isTTY: true };
const pipe = {};
const xterm = { TERM: 'xterm-256color' };

test.each([
  ['a terminal', terminal, xterm, true],
  ['a pipe', pipe, xterm, false],
  ['NO_COLOR', terminal, { ...xterm, NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', terminal, { ...xterm, NO_COLOR: '' }, true],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ['a CI without colours', terminal, { ...xterm, CI: 'true' }, false],
  ['a CI with colours', terminal, { ...xterm, CI: 'true', GITHUB_ACTIONS: 'true' }, true],
  ['FORCE_COLOR=1 in a pipe', pipe, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=3 in a pipe', pipe, { FORCE_COLOR: '3' }, true],
  ['FORCE_COLOR=0', terminal, { ...xterm, FORCE_COLOR: '0' }, false],
])('%s', (_, stream, env, shown) => {
  expect(showsColors(stream, env)).toBe(shown);
});
