import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import connect from 'connect';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import {
  toFastifyHandler,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { listeningSite, type Site, type Subject, socketSite } from '../support/subject.js';
import { drain, parse } from './reading-ahead.js';

const nodeHttp: Subject = {
  name: 'node:http',
  open(receiver, arrangement) {
    const handle = toNodeHandler(receiver);
    return listeningSite(async (request, response) => {
      if (arrangement === 'consumed') await drain(request);
      if (arrangement === 'parsed') Object.assign(request, { body: await parse(request) });
      await handle(request, response);
    });
  },
};

function expressSubject(name: string, framework: typeof express): Subject {
  return {
    name,
    open(receiver, arrangement) {
      const app = framework();
      if (arrangement === 'parsed') app.use(framework.json());
      if (arrangement === 'consumed') app.use((request, _response, next) => void drain(request).then(next));
      app.use('/webhooks', toNodeHandler(receiver));
      return listeningSite(app);
    },
  };
}

const connectSubject: Subject = {
  name: 'Connect',
  open(receiver, arrangement) {
    const app = connect();
    app.use((request: IncomingMessage & { body?: unknown }, _response, next) => {
      if (arrangement === 'plain') return next();
      if (arrangement === 'consumed') return void drain(request).then(() => next());
      void parse(request).then((body) => {
        request.body = body;
        next();
      });
    });
    app.use('/webhooks', toNodeHandler(receiver));
    return listeningSite(app);
  },
};

const expressRaw: Subject = {
  name: 'Express, raw',
  async open(receiver, arrangement) {
    if (arrangement !== 'plain') return undefined;
    const app = express();
    app.use('/webhooks', express.raw({ type: () => true, inflate: false }), toNodeHandler(receiver));
    return listeningSite(app);
  },
};

/** A Nest application without controllers: a middleware of a module runs behind Nest's own body parser. */
async function nest(
  receiver: Parameters<Subject['open']>[0],
  rawBody: boolean,
  ahead: boolean,
): Promise<Site> {
  class AppModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      if (!ahead) consumer.apply(toNodeHandler(receiver)).forRoutes('webhooks');
    }
  }
  Module({})(AppModule);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody, logger: false });
  if (ahead) app.use('/webhooks', toNodeHandler(receiver));
  await app.listen(0, '127.0.0.1');
  return socketSite(Number(new URL(await app.getUrl()).port), () => app.close());
}

const nestRawBody: Subject = {
  name: 'NestJS, rawBody',
  // Nest parses as ever, and keeps the bytes beside it.
  differs: { 'body already parsed': '2xx', 'parsed, bad signature': '401' },
  async open(receiver, arrangement) {
    return arrangement === 'consumed' ? undefined : nest(receiver, true, false);
  },
};

const nestAhead: Subject = {
  name: 'NestJS, app.use',
  async open(receiver, arrangement) {
    return arrangement === 'consumed' ? undefined : nest(receiver, false, arrangement === 'plain');
  },
};

const fastifyPlugin: Subject = {
  name: 'Fastify plugin',
  async open(receiver, arrangement) {
    if (arrangement === 'parsed') return undefined;
    const app = fastify();
    if (arrangement === 'consumed') app.addHook('onRequest', (request) => drain(request.raw));
    app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return socketSite(portOf(app.server.address()), () => app.close());
  },
};

const fastifyHandler: Subject = {
  name: 'Fastify handler',
  async open(receiver, arrangement) {
    if (arrangement === 'consumed') return undefined;
    const app = fastify();
    if (arrangement === 'plain') {
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
    }
    app.all('/webhooks', toFastifyHandler(receiver));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return socketSite(portOf(app.server.address()), () => app.close());
  },
};

const koa: Subject = {
  name: 'Koa',
  open(receiver, arrangement) {
    const app = new Koa();
    app.silent = true; // It prints every sender that breaks off.
    app.use(async (context, next) => {
      if (arrangement === 'consumed') await drain(context.req);
      if (arrangement === 'parsed') Object.assign(context.request, { body: await parse(context.req) });
      await next();
    });
    app.use(toKoaMiddleware(receiver));
    return listeningSite(app.callback());
  },
};

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Every adapter of the Node family, in each framework that it is for. */
export const nodeSubjects: readonly Subject[] = [
  nodeHttp,
  expressSubject('Express 5', express),
  expressSubject('Express 4', express4),
  connectSubject,
  expressRaw,
  nestRawBody,
  nestAhead,
  fastifyPlugin,
  fastifyHandler,
  koa,
];
