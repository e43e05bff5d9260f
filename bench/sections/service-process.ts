import { createServer } from 'node:http';

/** Responds to every library as its own service would, in about as many bytes, by the path that it asks for. */
const responses: Readonly<Record<string, object>> = {
  '/api/v1/contacts': {
    id: 'ct_01J9ZK3T',
    properties: { phone: '+15551234567', firstName: 'Ada', visits: 3 },
  },
  '/api/v1/contacts/create': { success: true, id: 'ct_01J9ZK3T' },
  '/v1/moderations': { id: 'modr_01J9ZK3T', model: 'omni-moderation-latest', results: [] },
  '/v1/customers': { id: 'cus_01J9ZK3T', object: 'customer', name: 'Ada', phone: '+15551234567' },
  '/emails': { id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' },
  '/api/v1/app/app_1/msg': {
    id: 'msg_01J9ZK3T',
    eventType: 'contact.updated',
    payload: { phone: '+15551234567', firstName: 'Ada' },
    timestamp: '2026-01-01T00:00:00Z',
  },
};
const bodies = new Map(Object.entries(responses).map(([path, response]) => [path, JSON.stringify(response)]));

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const body = bodies.get(request.url?.replace(/\/?(\?.*)?$/, '') ?? '');
    response.writeHead(body ? 200 : 404, {
      'content-type': 'application/json',
      'content-length': body?.length ?? 0,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000; // no connection is to be closed between two rounds
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});
