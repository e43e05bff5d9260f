// A receiver served by the runtime itself, and how it responds to what comes over a socket.
import { equal, ok } from './assertions.mjs';
import { secret } from './receiver-app.mjs';

const deliveryOf = ({ webhooks }) =>
  webhooks.signTestDelivery({ secret, data: { body: `Grüße 👋 ${crypto.randomUUID()}` } });
const bodyOf = ({ body }) => JSON.parse(body).data.body;

async function handled({ send }) {
  return (await send('/handled', {})).json();
}

/** Sends a delivery, with changes to the request, and gives the status. */
async function statusOf({ send }, { headers, bytes }, path = '/webhooks', changes = {}) {
  const response = await send(path, { method: 'POST', headers, body: bytes, ...changes });
  await response.arrayBuffer();
  return response.status;
}

/** Sends it, and sees that nothing was handled. */
async function refused(world, delivery, status, path, changes) {
  equal(await statusOf(world, delivery, path, changes), status);
  ok(!(await handled(world)).includes(bodyOf(delivery)), 'nothing handled');
}

const streamed = (bytes, pieces = 2) => {
  const size = Math.ceil(bytes.length / pieces);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent + size));
      sent += size;
    },
  });
};

export const receivers = {
  async 'handles what was signed, once'(world) {
    const delivery = deliveryOf(world);
    equal(await statusOf(world, delivery), 204);
    equal(await statusOf(world, delivery.duplicate()), 204);
    equal((await handled(world)).filter((body) => body === bodyOf(delivery)).length, 1);
  },

  async 'takes a body without a length, in pieces'(world) {
    const delivery = deliveryOf(world);
    const body = streamed(delivery.bytes, 7);
    equal(await statusOf(world, delivery, '/webhooks', { body, duplex: 'half' }), 204);
  },

  async 'refuses what was not verified'(world) {
    const delivery = deliveryOf(world);
    await refused(world, delivery.tampered(), 401);
    await refused(world, delivery.wrongSecret(), 401);
    await refused(world, delivery.unsigned(), 401);
    await refused(world, delivery.late(), 400);
  },

  async 'refuses two signatures'(world) {
    const delivery = deliveryOf(world);
    const headers = new Headers(delivery.headers);
    headers.append('x-service-signature', delivery.signature);
    await refused(world, delivery, 401, '/webhooks', { headers });
  },

  async 'refuses a body that is too large, with a length and without'(world) {
    const delivery = deliveryOf(world);
    const large = new Uint8Array(5000).fill(0x20);
    await refused(world, delivery, 413, '/webhooks', { body: large });
    await refused(world, delivery, 413, '/webhooks', { body: streamed(large), duplex: 'half' });
  },

  async 'refuses a compressed body'(world) {
    const delivery = deliveryOf(world);
    const body = await new Response(
      new Response(delivery.bytes).body.pipeThrough(new CompressionStream('gzip')),
    ).arrayBuffer();
    const headers = { ...delivery.headers, 'content-encoding': 'gzip' };
    await refused(world, delivery, 415, '/webhooks', { body, headers });
  },

  async 'refuses a wrong method'(world) {
    await refused(world, deliveryOf(world), 405, '/webhooks', { method: 'PUT' });
  },

  async 'responds to a fault of its own so that the service tries again'(world) {
    await refused(world, deliveryOf(world), 500, '/throws');
    await refused(world, deliveryOf(world), 500, '/consumed');
    await refused(world, deliveryOf(world).tampered(), 500, '/consumed');
  },

  async 'goes on with its work after the response'(world) {
    const delivery = deliveryOf(world);
    equal(await statusOf(world, delivery, '/background'), 503);
    for (let asked = 0; asked < 500; asked += 1) {
      if ((await handled(world)).includes(bodyOf(delivery))) return;
    }
    throw new Error('expected the delivery to be handled after the response');
  },
};
