import { expect, test } from 'vitest';
import { isThisMachine } from '../../src/foundation/this-machine.js';

test.each([
  ['localhost', true],
  ['localhost.', true],
  ['app.localhost', true],
  ['a.b.localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.1', true],
  ['0x7f.1', true],
  ['127.255.255.254', true],
  ['[::1]', true],
  ['mylocalhost', false],
  ['localhost.evil.example', false],
  ['app.localhost.evil.example', false],
  ['127.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['128.0.0.1', false],
  ['10.127.0.1', false],
  ['[::2]', false],
  ['0.0.0.0', false],
])('the host %s of a URL is this machine: %s', (host, isHere) => {
  expect(isThisMachine(new URL(`http://${host}/`).hostname)).toBe(isHere);
});
