// The process that the checks talk to, on Node.js: a reference server, and a service that fails as it is told.
// It prints one line of JSON when it is ready, and ends when its standard input does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { createReferenceServer } from 'messaging-automation/server';

const success = { success: true };
const json =
  (status, body, headers = {}) =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const reset = (response) => response.socket.resetAndDestroy();
const begin = (response, then) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"success":', then);
};
const tooMany = json(429, {}, { 'retry-after': '0' });

/** What is done with each request in turn; the last one stays. */
const faults = {
  reset: [reset],
  'drop-mid-body': [(response) => begin(response, () => response.socket.destroy())],
  stall: [() => {}],
  'stall-mid-body': [(response) => begin(response)],
  'status-500': [json(500, { error: { code: 'internal_error' } })],
  'status-502': [(response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html></html>')],
  'too-many': [tooMany],
  'too-many-then-good': [tooMany, json(200, success)],
  'good-then-reset': [json(200, success), json(200, success), reset],
  'reset-then-missing': [reset, json(404, { error: { code: 'not_found' } })],
  drift: [json(200, { success: 'perhaps' })],
  // A service that puts into its error all that it was told.
  echo: [
    (response, request, body) =>
      json(400, { error: { code: 'invalid_request', message: `${request.headers.authorization} ${body}` } })(
        response,
      ),
  ],
};

const reference = createReferenceServer();
const { baseUrl } = await reference.listen();

const arrivals = new Map();
const waiting = new Set();

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const url = new URL(request.url, 'http://localhost');
  const [, first, second] = url.pathname.split('/');
  if (first !== 'control') return misbehave(faults[first], second, request, response, body);
  if (second === 'workspaces') {
    const { apiKey } = reference.workspace(JSON.parse(body));
    return json(200, { apiKey })(response);
  }
  const atLeast = Number(url.searchParams.get('atLeast'));
  const id = url.pathname.split('/')[3];
  const tell = () => {
    const count = arrivals.get(id) ?? 0;
    if (count < atLeast) return;
    waiting.delete(tell);
    json(200, { count })(response);
  };
  waiting.add(tell);
  tell();
});

function misbehave(behaviours, id, request, response, body) {
  const number = (arrivals.get(id) ?? 0) + 1;
  arrivals.set(id, number);
  behaviours[Math.min(number, behaviours.length) - 1](response, request, body);
  for (const tell of waiting) tell();
}

async function listen(someServer) {
  someServer.listen(0, '127.0.0.1');
  await once(someServer, 'listening');
  return `http://127.0.0.1:${someServer.address().port}`;
}

const deserted = createServer();
const desertedUrl = `${await listen(deserted)}/api`;
deserted.close();

const farSide = { baseUrl, url: await listen(server), desertedUrl };
process.stdout.write(`${JSON.stringify(farSide)}\n`);
process.stdin.resume().on('end', () => process.exit());
