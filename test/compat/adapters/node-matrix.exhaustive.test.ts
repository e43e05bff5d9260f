import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { server as hapiServer } from '@hapi/hapi';
import connect from 'connect';
import express from 'express';
import express4 from 'express4';
import { createApp, eventHandler, fromNodeMiddleware, readBody, toNodeListener } from 'h3v1';
import { toNodeHandler } from 'messaging-automation/webhooks';
import polka from 'polka';
import { expressOf } from '../../webhooks/adapters/node/environments.js';
import { drain, prepare } from '../../webhooks/adapters/node/node-http.js';
import { type Environment, endpointAt, listening } from '../../webhooks/adapters/support/environment.js';
import { describeMatrix } from '../../webhooks/adapters/support/matrix.js';

// Frameworks that `toNodeHandler` serves without knowing of them.

const connectEnvironment = listening('Connect', { fix: 'Connect' }, (receiver, body) =>
  connect()
    .use((request, _response, next) => void prepare(request, body).then(() => next()))
    .use('/webhooks', toNodeHandler(receiver)),
);

const polkaEnvironment = listening('polka', { fix: 'polka' }, (receiver, body) => {
  const app = polka();
  if (body === 'parsed') app.use(express.json());
  if (body === 'consumed') app.use((request, _response, next) => void drain(request).then(next));
  return app.use('/webhooks', toNodeHandler(receiver)).handler;
});

const hapi: Environment = {
  name: 'Hapi',
  fix: 'Hapi: payload: { parse: false, output: "stream" }',
  async open(receiver, body) {
    const handle = toNodeHandler(receiver);
    const app = hapiServer({ port: 0, host: '127.0.0.1', debug: false });
    if (body === 'consumed') {
      app.ext('onRequest', async (request, toolkit) => {
        await drain(request.raw.req);
        return toolkit.continue;
      });
    }
    app.route({
      method: '*',
      path: '/webhooks',
      // As a route has it that says nothing about its payload: Hapi parses.
      ...(body !== 'parsed' && { options: { payload: { parse: false, output: 'stream' } } }),
      handler: async ({ raw }, toolkit) => {
        await handle(raw.req, raw.res);
        return toolkit.abandon;
      },
    });
    await app.start();
    return endpointAt(Number(app.info.port), () => app.stop());
  },
};

const h3v1 = listening('h3 1, Nitro 2', { fix: 'h3' }, (receiver, body) => {
  const app = createApp();
  if (body === 'consumed') app.use(eventHandler((event) => drain(event.node.req)));
  if (body === 'parsed') app.use(eventHandler((event) => readBody(event).then(() => undefined)));
  app.use('/webhooks', fromNodeMiddleware(toNodeHandler(receiver)));
  return toNodeListener(app);
});

let registered = 0;

/** The server that Google Cloud Functions and Firebase run functions in. */
const googleCloudFunctions = listening(
  'Google Cloud Functions',
  // It parses every body, and keeps the bytes beside it.
  { fix: 'none', differs: { 'body already parsed': '204', 'parsed, bad signature': '401' } },
  (receiver, body) => {
    // Nothing of the user's runs ahead of the function.
    if (body === 'consumed') return undefined;
    registered += 1; // Functions are kept by name for as long as the process lives.
    http(`receive_${registered}`, toNodeHandler(receiver));
    const server = getTestServer(`receive_${registered}`);
    return (request, response) => void server.emit('request', request, response);
  },
);

describeMatrix('Adapter × fault: further frameworks of Node', [
  expressOf('Express 4', express4),
  connectEnvironment,
  polkaEnvironment,
  hapi,
  h3v1,
  googleCloudFunctions,
]);
