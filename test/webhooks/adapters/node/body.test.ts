import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import {
  createWebhookReceiver,
  type NodeRequest,
  signatureHeader,
  signWebhook,
  toFastifyHandler,
  toKoaMiddleware,
  toNodeHandler,
  UnreadableBodyError,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { messageBody, secret } from '../../delivery-body.js';
import { maxBodyBytes } from '../support/faults.js';
import { delivery, type Sent } from '../support/sent.js';
import { listeningSite, type Site } from '../support/subject.js';

let errors: unknown[] = [];
let site: Site | undefined;

afterEach(async () => {
  errors = [];
  await site?.close();
  site = undefined;
});

function receiverOf() {
  const tell = (error: unknown) => void errors.push(error);
  const options = { secret, maxBodyBytes, tolerance: false, onError: tell, onRefused: tell } as const;
  return createWebhookReceiver(options).on('message.received', () => undefined);
}

async function seenBy(listener: RequestListener, sent: Sent = delivery()) {
  site = await listeningSite(listener);
  return site.send(sent);
}

/** Mounts the adapter on node:http behind something that has had the request before. */
function behind(before: (request: IncomingMessage) => unknown): RequestListener {
  const handle = toNodeHandler(receiverOf());
  return async (request, response) => {
    await before(request);
    await handle(request, response);
  };
}

describe('a body that was parsed is refused, and the error names the fix of the framework', () => {
  test('Express and NestJS', async () => {
    const app = express().use(express.json()).use(toNodeHandler(receiverOf()));

    expect(await seenBy(app)).toBe(500);
    expect(errors).toEqual([expect.any(UnreadableBodyError)]);
    expect(errors).toMatchObject([{ reason: 'parsed', message: expect.stringContaining('express.raw(') }]);
    expect(errors).toMatchObject([{ message: expect.stringContaining('{ rawBody: true }') }]);
  });

  test('Fastify', async () => {
    const app = fastify();
    app.post('/webhooks', toFastifyHandler(receiverOf()));
    await app.ready();

    expect(await seenBy((request, response) => app.routing(request, response))).toBe(500);
    expect(errors).toMatchObject([
      { reason: 'parsed', message: expect.stringContaining('toFastifyPlugin(receiver)') },
    ]);
  });

  test('Koa', async () => {
    const app = new Koa();
    app.use(async (context, next) => {
      for await (const _ of context.req);
      Object.assign(context.request, { body: {} });
      await next();
    });
    app.use(toKoaMiddleware(receiverOf()));

    expect(await seenBy(app.callback())).toBe(500);
    expect(errors).toMatchObject([{ reason: 'parsed', message: expect.stringContaining('koa-bodyparser') }]);
  });
});

describe('what is not the bytes as received is refused', () => {
  test('a stream that decodes', async () => {
    expect(await seenBy(behind((request) => request.setEncoding('latin1')))).toBe(500);
    expect(errors).toMatchObject([{ reason: 'consumed' }]);
  });

  test('a stream that somebody has begun to read', async () => {
    const begun = behind(
      (request) => new Promise<void>((resolve) => request.once('data', () => request.pause() && resolve())),
    );

    expect(await seenBy(begun)).toBe(500);
    expect(errors).toMatchObject([{ reason: 'consumed' }]);
  });
});

describe('bytes that were kept are used', () => {
  const drained = async (request: IncomingMessage, kept: object) => {
    for await (const _ of request);
    Object.assign(request, kept);
  };

  test('rawBody, beside a parsed body', async () => {
    const kept = { rawBody: Buffer.from(messageBody), body: JSON.parse(messageBody) };

    expect(await seenBy(behind((request) => drained(request, kept)))).toBe(204);
  });

  test('and bounded like any', async () => {
    const kept = { rawBody: Buffer.alloc(maxBodyBytes + 1) };

    expect(await seenBy(behind((request) => drained(request, kept)))).toBe(413);
  });

  test('a body of bytes, in a request that is no stream, as tests and platforms make them', async () => {
    const request = Object.assign(new EventEmitter(), {
      method: 'POST',
      headers: { [signatureHeader.toLowerCase()]: signWebhook(messageBody, secret) },
      body: new TextEncoder().encode(messageBody),
    });
    const response = { statusCode: 0, headersSent: false, destroyed: false, setHeader() {}, end() {} };

    // Less than the type asks for, which is what such requests are.
    await toNodeHandler(receiverOf())(request as unknown as NodeRequest, response);

    expect(response.statusCode).toBe(204);
  });
});
