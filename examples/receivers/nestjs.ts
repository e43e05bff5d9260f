// A receiver in NestJS 11. Run it: WEBHOOK_SECRET=whsec_… npx tsx examples/receivers/nestjs.ts
import 'reflect-metadata';
import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';

const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' });
receiver.on('message.received', (event) => console.log(`${event.data.contactId}: ${event.data.body}`));

@Module({})
class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(toNodeHandler(receiver)).forRoutes('webhooks');
  }
}

// With rawBody, Nest keeps the raw bytes next to the parsed body.
const app = await NestFactory.create(AppModule, { rawBody: true, logger: ['error', 'warn'] });
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log(`Listening on ${await app.getUrl()}/webhooks`);
