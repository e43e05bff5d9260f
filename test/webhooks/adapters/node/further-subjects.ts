import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { server as hapiServer } from '@hapi/hapi';
import express from 'express';
import { createApp, eventHandler, fromNodeMiddleware, readBody, toNodeListener } from 'h3v1';
import { toNodeHandler } from 'messaging-automation/webhooks';
import polka from 'polka';
import { listeningSite, type Subject, socketSite } from '../support/subject.js';
import { drain } from './reading-ahead.js';

const polkaSubject: Subject = {
  name: 'polka',
  open(receiver, arrangement) {
    const app = polka();
    if (arrangement === 'parsed') app.use(express.json());
    if (arrangement === 'consumed') app.use((request, _response, next) => void drain(request).then(next));
    app.use('/webhooks', toNodeHandler(receiver));
    return listeningSite(app.handler);
  },
};

const hapi: Subject = {
  name: 'Hapi',
  async open(receiver, arrangement) {
    const handle = toNodeHandler(receiver);
    const app = hapiServer({ port: 0, host: '127.0.0.1', debug: false });
    if (arrangement === 'consumed') {
      app.ext('onRequest', async (request, toolkit) => {
        await drain(request.raw.req);
        return toolkit.continue;
      });
    }
    app.route({
      method: '*',
      path: '/webhooks',
      // As a route has it that says nothing about its payload: Hapi parses.
      ...(arrangement !== 'parsed' && { options: { payload: { parse: false, output: 'stream' } } }),
      handler: async ({ raw }, toolkit) => {
        await handle(raw.req, raw.res);
        return toolkit.abandon;
      },
    });
    await app.start();
    return socketSite(Number(app.info.port), () => app.stop());
  },
};

const h3v1: Subject = {
  name: 'h3 1, Nitro 2',
  open(receiver, arrangement) {
    const app = createApp();
    if (arrangement === 'consumed') app.use(eventHandler((event) => drain(event.node.req)));
    if (arrangement === 'parsed') {
      app.use(eventHandler((event) => readBody(event).then(() => undefined)));
    }
    app.use('/webhooks', fromNodeMiddleware(toNodeHandler(receiver)));
    return listeningSite(toNodeListener(app));
  },
};

let registered = 0;

/** The server that Google Cloud Functions and Firebase run functions in. */
const googleCloudFunctions: Subject = {
  name: 'Google Cloud Functions',
  // It parses every body, and keeps the bytes beside it.
  differs: { 'body already parsed': '2xx', 'parsed, bad signature': '401' },
  async open(receiver, arrangement) {
    // Nothing of the user's runs ahead of the function.
    if (arrangement === 'consumed') return undefined;
    registered += 1; // Functions are kept by name for as long as the process lives.
    const name = `receive_${registered}`;
    http(name, toNodeHandler(receiver));
    const app = getTestServer(name).listen(0, '127.0.0.1');
    await once(app, 'listening');
    return socketSite(portOf(app.address()), async () => {
      app.close();
      await once(app, 'close');
    });
  },
};

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Frameworks that `toNodeHandler` serves without knowing of them. */
export const furtherNodeSubjects: readonly Subject[] = [polkaSubject, hapi, h3v1, googleCloudFunctions];
